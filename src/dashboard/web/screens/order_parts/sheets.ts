// The form of each action on an order, and its request.
import { cancelReasons, clientHoldReasons, shortReasons } from "../../../../orders/status.ts";
import type { Order, OrderLine } from "../../api/types.ts";
import { stateWords } from "../../kit/badge.tsx";
import type { Act } from "../../kit/effects.tsx";
import type { Field, Option, Values } from "../../kit/fields.tsx";
import { orderTexts as texts } from "../../texts/order.ts";
import { inStaging, openUnits } from "./counters.ts";
import { parcelName } from "./parcel_name.ts";
import { choosable, chosenUnits, isAll, itemsOf, unitsField } from "./units.tsx";

/** The form of an action. */
interface Sheet {
  readonly text?: string;
  readonly fields: readonly Field[];
  readonly first: Values;
  readonly danger?: boolean;
  /** The request for these entries, or null while they are incomplete. */
  readonly act: (values: Values) => Act | null;
}

/** Options from words of the API. */
export const words = (all: readonly string[]): readonly Option[] =>
  all.map((value) => ({ value, title: stateWords(value) }));

const text = (value: unknown) => (value === "" || value === undefined ? null : value);
const given = (fields: Values) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

const note: Field = { kind: "text", name: "note", label: texts.note, lines: 2 };
const reasonOf = (reasons: readonly string[]): Field => ({
  kind: "select",
  name: "reason",
  label: texts.reason,
  required: true,
  options: words(reasons),
});
const partial: Field = { kind: "switch", name: "partial", label: texts.partial, help: texts.partialHelp };

/** The form of an action on this order, by its name. */
export function sheetOf(order: Order, action: string): Sheet | null {
  return sheets[action]?.(order) ?? null;
}

const sheets: Readonly<Record<string, (order: Order) => Sheet>> = {
  process: ({ id }) => plain({ method: "POST", path: `/orders/${id}/process`, body: {} }),
  pick: pickSheet,
  short: shortSheet,
  pack: packSheet,
  ship: shipSheet,
  deliver: deliverSheet,
  hold: holdSheet,
  release: releaseSheet,
  cancel: ({ id }) => ({
    danger: true,
    fields: [reasonOf(cancelReasons), note],
    first: { reason: "customer", note: "" },
    act: ({ reason, note }) => ({
      method: "DELETE",
      path: `/orders/${id}`,
      params: { reason: String(reason), note: text(note) as string | null },
    }),
  }),
  cancel_items: (order) => {
    const lines = choosable(order, openUnits);
    return {
      danger: true,
      fields: [unitsField(lines), reasonOf(cancelReasons), note],
      first: { items: chosenUnits(lines, false), reason: "customer", note: "" },
      act: ({ items, reason, note }) =>
        withItems(itemsOf(items, lines), (items) => ({
          method: "POST",
          path: `/orders/${order.id}/cancel_items`,
          body: given({ items, reason, note: text(note) }),
        })),
    };
  },
  split: (order) => {
    const lines = choosable(order, (line) => openUnits(line) - inStaging(line));
    const waiting = lines.some(({ id }) => lineOf(order, id).quantity_backordered > 0);
    const first = Object.fromEntries(lines.map(({ id }) => [id, String(lineOf(order, id).quantity_backordered || "")]));
    return {
      text: texts.splitText,
      fields: [
        unitsField(lines),
        { kind: "text", name: "order_number", label: texts.newNumber, help: texts.newNumberHelp, mono: true },
      ],
      first: { items: waiting ? first : chosenUnits(lines, false), order_number: "" },
      act: ({ items, order_number }) =>
        withItems(itemsOf(items, lines), (items) => ({
          method: "POST",
          path: `/orders/${order.id}/split`,
          body: given({ items, order_number: text(order_number) }),
        })),
    };
  },
};

const lineOf = (order: Order, id: string) => order.line_items.find((line) => line.id === id) as OrderLine;

const plain = (act: Act): Sheet => ({ fields: [], first: {}, act: () => act });

function withItems<Item>(items: readonly Item[], act: (items: readonly Item[]) => Act): Act | null {
  return items.length === 0 ? null : act(items);
}

const isShort = (order: Order) => order.allocation.backordered_units > 0;

function pickSheet(order: Order): Sheet {
  const lines = choosable(order, (line) => line.quantity_reserved - inStaging(line));
  return {
    text: texts.pickText,
    fields: [unitsField(lines)],
    first: { items: chosenUnits(lines, true) },
    act: ({ items }) => {
      const all = isAll(items, lines);
      const chosen = itemsOf(items, lines);
      if (!all && chosen.length === 0) return null;
      const body = all ? { partial: isShort(order) } : { items: chosen };
      return { method: "POST", path: `/orders/${order.id}/pick`, body };
    },
  };
}

function shortSheet(order: Order): Sheet {
  const lines = choosable(order, (line) => line.quantity_reserved - inStaging(line));
  return {
    text: texts.shortText,
    fields: [
      { kind: "select", name: "line_id", label: texts.line, required: true, options: lines.map(toOption) },
      { kind: "number", name: "quantity", label: texts.missing, required: true, width: "half" },
      { kind: "text", name: "bin", label: texts.bin, width: "half", mono: true, placeholder: texts.anyBin },
      reasonOf(shortReasons),
    ],
    first: { line_id: lines[0]?.id ?? "", quantity: "1", bin: "", reason: "not_found" },
    act: ({ line_id, quantity, bin, reason }) => {
      if (Number(quantity) < 1) return null;
      const item = given({ line_id, quantity: Number(quantity), bin: text(bin), short: true, reason });
      return { method: "POST", path: `/orders/${order.id}/pick`, body: { items: [item] } };
    },
  };
}

const toOption = ({ id, sku, name }: { id: string; sku: string; name: string }): Option => {
  return { value: id, title: `${sku} · ${name}` };
};

function packSheet(order: Order): Sheet {
  const lines = choosable(order, (line) => {
    const unpacked = line.quantity - line.quantity_cancelled - line.quantity_packed;
    return Math.min(unpacked, line.quantity_reserved - (line.quantity_packed - line.quantity_shipped));
  });
  return {
    text: texts.packText,
    fields: [unitsField(lines)],
    first: { items: chosenUnits(lines, true) },
    act: ({ items }) => {
      const chosen = itemsOf(items, lines);
      const all = isAll(items, lines);
      if (!all && chosen.length === 0) return null;
      const body = all ? { partial: isShort(order) } : { packages: [{ items: chosen }] };
      return { method: "POST", path: `/orders/${order.id}/pack`, body };
    },
  };
}

function shipSheet(order: Order): Sheet {
  const waiting = order.shipments.filter(({ status }) => status === "pending");
  const chosen = ({ shipment_id }: Values) => waiting.find(({ id }) => id === shipment_id);
  // A label names the carrier and the number: nothing is left to enter.
  const unlabelled = (values: Values) => (chosen(values)?.tracking_number ?? null) === null;
  const entered = { kind: "text", when: unlabelled } as const;
  return {
    fields: [
      ...(waiting.length > 1 ? [parcelField(order, waiting)] : []),
      { ...entered, name: "carrier", label: texts.carrier, help: texts.shipText, width: "half" },
      { ...entered, name: "service", label: texts.service, width: "half" },
      { ...entered, name: "tracking_number", label: texts.tracking, mono: true },
      ...(isShort(order) ? [partial] : []),
    ],
    first: {
      shipment_id: waiting[0]?.id ?? "",
      carrier: "",
      service: "",
      tracking_number: "",
      partial: isShort(order),
    },
    act: (values) => {
      const { shipment_id, carrier, service, tracking_number, partial } = values;
      const named = unlabelled(values)
        ? { carrier: text(carrier), service: text(service), tracking_number: text(tracking_number) }
        : {};
      const body = given({ shipment_id: text(shipment_id), ...named, partial: partial === true ? true : null });
      return { method: "POST", path: `/orders/${order.id}/ship`, body };
    },
  };
}

/** The choice of a parcel, and with `empty` of none in particular. */
function parcelField(order: Order, parcels: Order["shipments"], empty?: string): Field {
  return {
    kind: "select",
    name: "shipment_id",
    label: texts.parcel,
    ...(empty === undefined ? { required: true } : { empty }),
    options: parcels.map((parcel) => ({
      value: parcel.id,
      title: [parcelName(order.shipments, parcel), parcel.carrier].filter((word) => word !== null).join(" · "),
    })),
  };
}

function deliverSheet(order: Order): Sheet {
  const out = order.shipments.filter(({ status }) => status === "shipped");
  return {
    fields: out.length > 1 ? [parcelField(order, out, texts.allParcels)] : [],
    first: { shipment_id: "" },
    act: ({ shipment_id }) => ({
      method: "POST",
      path: `/orders/${order.id}/deliver`,
      body: given({ shipment_id: text(shipment_id) }),
    }),
  };
}

function holdSheet({ id }: Order): Sheet {
  return {
    fields: [
      reasonOf(clientHoldReasons),
      note,
      { kind: "date", name: "hold_until", label: texts.holdUntil, help: texts.holdUntilHelp, width: "half" },
      { kind: "switch", name: "reserve_inventory", label: texts.keepStock, help: texts.keepStockHelp },
    ],
    first: { reason: "manual", note: "", hold_until: "", reserve_inventory: true },
    act: ({ reason, note, hold_until, reserve_inventory }) => {
      // The day begins in the time zone of the user.
      const until = text(hold_until) === null ? null : new Date(`${hold_until}T00:00`).toISOString();
      const body = given({ reason, note: text(note), hold_until: until, reserve_inventory });
      return { method: "POST", path: `/orders/${id}/hold`, body };
    },
  };
}

function releaseSheet({ id, holds }: Order): Sheet {
  const own = holds.filter(({ lifted_by }) => lifted_by === "release");
  const options = own.map(({ id, reason }) => ({ value: id, title: stateWords(reason) }));
  return {
    fields:
      own.length > 1
        ? [{ kind: "select", name: "hold_id", label: texts.whichHold, empty: texts.allHolds, options }]
        : [],
    first: { hold_id: "" },
    act: ({ hold_id }) => ({
      method: "POST",
      path: `/orders/${id}/release`,
      body: given({ hold_id: text(hold_id) }),
    }),
  };
}
