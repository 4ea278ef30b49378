// The form of each action on an order, and its request.
import { cancelReasons, clientHoldReasons, shortReasons, undoReasons } from "../../../../orders/order.transitions.ts";
import type { ApiCall } from "../../api/client.ts";
import type { Order, OrderLine } from "../../api/types.ts";
import { wordOptions } from "../../components/badge.tsx";
import type { FormField, FormValues, Option } from "../../components/fields.tsx";
import { words } from "../../text/common.ts";
import { orderTexts as texts } from "../../text/order.ts";
import { stateWords } from "../../text/states.ts";
import { inStaging, looseUnits, openUnits, packedUnits, parcelName } from "./order_facts.ts";
import { choosable, chosenUnits, isAll, itemsOf, unitsField } from "./units_field.tsx";

/** The form of an action. */
interface ActionForm {
  readonly text?: string;
  readonly fields: readonly FormField[];
  readonly first: FormValues;
  /** The request for these entries, or null while they are incomplete. */
  readonly call: (values: FormValues) => ApiCall | null;
}

const text = (value: unknown) => (value === "" || value === undefined ? null : value);
const withoutEmpty = (fields: FormValues) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

const note: FormField = { kind: "text", name: "note", label: texts.note, lines: 2 };
const reasonOf = (reasons: readonly string[]): FormField => ({
  kind: "select",
  name: "reason",
  label: words.reason,
  required: true,
  options: wordOptions(reasons),
});
const partial: FormField = { kind: "switch", name: "partial", label: texts.partial, help: texts.partialHelp };

/** The form of an action on this order, by its name. */
export function actionFormOf(order: Order, action: string): ActionForm | null {
  return actionForms[action]?.(order) ?? null;
}

const actionForms: Readonly<Record<string, (order: Order) => ActionForm>> = {
  process: ({ id }) => plain({ method: "POST", path: `/orders/${id}/process`, body: {} }),
  pick: pickForm,
  short: shortForm,
  pack: packForm,
  unpick: (order) => undoForm(order, "unpick", looseUnits, texts.unpickText),
  unpack: (order) => undoForm(order, "unpack", packedUnits, texts.unpackText),
  ship: shipForm,
  deliver: deliverForm,
  hold: holdForm,
  release: releaseForm,
  cancel: ({ id }) => ({
    fields: [reasonOf(cancelReasons), note],
    first: { reason: "customer", note: "" },
    call: ({ reason, note }) => ({
      method: "DELETE",
      path: `/orders/${id}`,
      params: { reason: String(reason), note: text(note) as string | null },
    }),
  }),
  cancel_items: (order) => {
    const lines = choosable(order, openUnits);
    return {
      fields: [unitsField(lines), reasonOf(cancelReasons), note],
      first: { items: chosenUnits(lines, false), reason: "customer", note: "" },
      call: ({ items, reason, note }) =>
        withItems(itemsOf(items, lines), (items) => ({
          method: "POST",
          path: `/orders/${order.id}/cancel_items`,
          body: withoutEmpty({ items, reason, note: text(note) }),
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
      call: ({ items, order_number }) =>
        withItems(itemsOf(items, lines), (items) => ({
          method: "POST",
          path: `/orders/${order.id}/split`,
          body: withoutEmpty({ items, order_number: text(order_number) }),
        })),
    };
  },
};

const lineOf = (order: Order, id: string) => order.line_items.find((line) => line.id === id) as OrderLine;

const plain = (call: ApiCall): ActionForm => ({ fields: [], first: {}, call: () => call });

function withItems<Item>(items: readonly Item[], call: (items: readonly Item[]) => ApiCall): ApiCall | null {
  return items.length === 0 ? null : call(items);
}

const isShort = (order: Order) => order.allocation.backordered_units > 0;

function pickForm(order: Order): ActionForm {
  const lines = choosable(order, (line) => line.quantity_reserved - inStaging(line));
  return {
    text: texts.pickText,
    fields: [unitsField(lines)],
    first: { items: chosenUnits(lines, true) },
    call: ({ items }) => {
      const all = isAll(items, lines);
      const chosen = itemsOf(items, lines);
      if (!all && chosen.length === 0) return null;
      const body = all ? { partial: isShort(order) } : { items: chosen };
      return { method: "POST", path: `/orders/${order.id}/pick`, body };
    },
  };
}

function shortForm(order: Order): ActionForm {
  const lines = choosable(order, (line) => line.quantity_reserved - inStaging(line));
  return {
    text: texts.shortText,
    fields: [
      { kind: "select", name: "line_id", label: texts.line, required: true, options: lines.map(toOption) },
      { kind: "number", name: "quantity", label: texts.missing, required: true, width: "half" },
      { kind: "text", name: "bin", label: words.bin, width: "half", mono: true, placeholder: texts.anyBin },
      reasonOf(shortReasons),
    ],
    first: { line_id: lines[0]?.id ?? "", quantity: "1", bin: "", reason: "not_found" },
    call: ({ line_id, quantity, bin, reason }) => {
      if (Number(quantity) < 1) return null;
      const item = withoutEmpty({ line_id, quantity: Number(quantity), bin: text(bin), short: true, reason });
      return { method: "POST", path: `/orders/${order.id}/pick`, body: { items: [item] } };
    },
  };
}

const toOption = ({ id, sku, name }: { id: string; sku: string; name: string }): Option => {
  return { value: id, title: `${sku} · ${name}` };
};

function packForm(order: Order): ActionForm {
  const lines = choosable(order, (line) => {
    const unpacked = line.quantity - line.quantity_cancelled - line.quantity_packed;
    return Math.min(unpacked, line.quantity_reserved - (line.quantity_packed - line.quantity_shipped));
  });
  return {
    text: order.packing_note === null ? texts.packText : `${texts.packingNote}: ${order.packing_note}`,
    fields: [unitsField(lines)],
    first: { items: chosenUnits(lines, true) },
    call: ({ items }) => {
      const chosen = itemsOf(items, lines);
      const all = isAll(items, lines);
      if (!all && chosen.length === 0) return null;
      const body = all ? { partial: isShort(order) } : { packages: [{ items: chosen }] };
      return { method: "POST", path: `/orders/${order.id}/pack`, body };
    },
  };
}

/** The fields for why a step is taken back. */
export const whyUndone: readonly FormField[] = [
  reasonOf(undoReasons),
  { ...note, when: ({ reason }) => reason !== "other" },
  { ...note, required: true, when: ({ reason }) => reason === "other" },
];
export const firstWhy: FormValues = { reason: "mistake", note: "" };

/** Why a step is taken back, as its request says it. */
export const whyBody = ({ reason, note }: FormValues) => withoutEmpty({ reason, note: text(note) });

function undoForm(
  order: Order,
  action: "unpick" | "unpack",
  most: (line: OrderLine) => number,
  explained: string,
): ActionForm {
  const lines = choosable(order, most);
  // Without whole sets, only components of bundles are picked: all of them go back.
  const chooses = lines.length > 0;
  return {
    text: explained,
    fields: [...(chooses ? [unitsField(lines)] : []), ...whyUndone],
    first: { items: chosenUnits(lines, true), ...firstWhy },
    call: (values) => {
      const all = !chooses || isAll(values["items"], lines);
      const items = itemsOf(values["items"], lines);
      if (!all && items.length === 0) return null;
      const body = { ...(all ? {} : { items }), ...whyBody(values) };
      return { method: "POST", path: `/orders/${order.id}/${action}`, body };
    },
  };
}

function shipForm(order: Order): ActionForm {
  const waiting = order.shipments.filter(({ status }) => status === "pending");
  const chosen = ({ shipment_id }: FormValues) => waiting.find(({ id }) => id === shipment_id);
  // A label already has the carrier and the number.
  const unlabelled = (values: FormValues) => (chosen(values)?.tracking_number ?? null) === null;
  const entered = { kind: "text", when: unlabelled } as const;
  return {
    fields: [
      ...(waiting.length > 1 ? [parcelField(order, waiting)] : []),
      { ...entered, name: "carrier", label: words.carrier, help: texts.shipText, width: "half" },
      { ...entered, name: "service", label: words.service, width: "half" },
      { ...entered, name: "tracking_number", label: words.trackingNumber, mono: true },
      ...(isShort(order) ? [partial] : []),
    ],
    first: {
      shipment_id: waiting[0]?.id ?? "",
      carrier: "",
      service: "",
      tracking_number: "",
      partial: isShort(order),
    },
    call: (values) => {
      const { shipment_id, carrier, service, tracking_number, partial } = values;
      const named = unlabelled(values)
        ? { carrier: text(carrier), service: text(service), tracking_number: text(tracking_number) }
        : {};
      const body = withoutEmpty({ shipment_id: text(shipment_id), ...named, partial: partial === true ? true : null });
      return { method: "POST", path: `/orders/${order.id}/ship`, body };
    },
  };
}

/** The choice of a parcel. `empty` is the title of the option for no specific parcel. */
function parcelField(order: Order, parcels: Order["shipments"], empty?: string): FormField {
  return {
    kind: "select",
    name: "shipment_id",
    label: words.parcel,
    ...(empty === undefined ? { required: true } : { empty }),
    options: parcels.map((parcel) => ({
      value: parcel.id,
      title: [parcelName(order.shipments, parcel), parcel.carrier].filter((word) => word !== null).join(" · "),
    })),
  };
}

function deliverForm(order: Order): ActionForm {
  const out = order.shipments.filter(({ status }) => status === "shipped");
  return {
    fields: out.length > 1 ? [parcelField(order, out, texts.allParcels)] : [],
    first: { shipment_id: "" },
    call: ({ shipment_id }) => ({
      method: "POST",
      path: `/orders/${order.id}/deliver`,
      body: withoutEmpty({ shipment_id: text(shipment_id) }),
    }),
  };
}

function holdForm({ id }: Order): ActionForm {
  return {
    fields: [
      reasonOf(clientHoldReasons),
      note,
      { kind: "date", name: "hold_until", label: texts.holdUntil, help: texts.holdUntilHelp, width: "half" },
      { kind: "switch", name: "reserve_inventory", label: texts.keepStock, help: texts.keepStockHelp },
    ],
    first: { reason: "manual", note: "", hold_until: "", reserve_inventory: true },
    call: ({ reason, note, hold_until, reserve_inventory }) => {
      // The day begins in the time zone of the user.
      const until = text(hold_until) === null ? null : new Date(`${hold_until}T00:00`).toISOString();
      const body = withoutEmpty({ reason, note: text(note), hold_until: until, reserve_inventory });
      return { method: "POST", path: `/orders/${id}/hold`, body };
    },
  };
}

function releaseForm({ id, holds }: Order): ActionForm {
  const own = holds.filter(({ lifted_by }) => lifted_by === "release");
  const options = own.map(({ id, reason }) => ({ value: id, title: stateWords(reason) }));
  return {
    fields:
      own.length > 1
        ? [{ kind: "select", name: "hold_id", label: texts.whichHold, empty: texts.allHolds, options }]
        : [],
    first: { hold_id: "" },
    call: ({ hold_id }) => ({
      method: "POST",
      path: `/orders/${id}/release`,
      body: withoutEmpty({ hold_id: text(hold_id) }),
    }),
  };
}
