import { useState } from "preact/hooks";
import { patch, post } from "../../api/client.ts";
import { meant, merchantOf, openMerchants, ownerOf } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { Adjustment, Placed, ProductRecord, StockMoveResult, WarehouseRecord } from "../../api/types.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { FormDialog } from "../../components/form.tsx";
import { merchantChoice, merchantIn, withoutMerchant } from "../../components/merchant_field.tsx";
import { Notice } from "../../components/notice.tsx";
import { today } from "../../components/now.ts";
import { ProductPicker } from "../../components/pickers.tsx";
import { showRefused, showSuccess as toast } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { merchantTexts } from "../../text/merchants.ts";
import { stockTexts as texts } from "../../text/stock.ts";
import { enteredNumber, enteredText, optionsOf, useWarehouses } from "./stock_links.ts";

// Warmest first. Products may be stored in a colder zone.
const temperatures = ["ambient", "refrigerated", "frozen"] as const;

interface ZoneNeededProps {
  readonly product: ProductRecord;
  readonly warehouse: WarehouseRecord;
}

/** Warns that a warehouse has no zone that is cold enough for a product, and adds one. */
function ZoneNeeded({ product: { sku, temperature_zone: wanted }, warehouse }: ZoneNeededProps) {
  const isCold = (zone: (typeof temperatures)[number]) => temperatures.indexOf(zone) >= temperatures.indexOf(wanted);
  if (warehouse.location_zones.some(({ temperature_zone }) => isCold(temperature_zone))) return null;
  const zone_id = wanted.toUpperCase();
  const add: Action = {
    ...{ title: texts.zoneAdd(wanted), icon: "plus", done: texts.zoneAdded(zone_id) },
    ask: { title: texts.zoneTitle(wanted, warehouse.name), text: texts.zoneText(zone_id) },
    call: {
      method: "PATCH",
      path: `/inventory/locations/${warehouse.warehouse_id}`,
      body: { location_zones: [{ zone_id, temperature_zone: wanted }] },
    },
  };
  return (
    <Notice kind="warning">
      <p>{texts.zoneNeeded(sku, wanted, warehouse.name)}</p>
      {may("house.manage") ? (
        <p>
          <ActionButton of={add} />
        </p>
      ) : (
        <p>{texts.zoneAsk}</p>
      )}
    </Notice>
  );
}

/** The props of a dialog about units of a SKU. */
interface PlacesProps {
  readonly sku: string;
  /** The locations of its units. */
  readonly places: readonly Placed[];
  /** The location that is selected initially. */
  readonly at?: Placed | undefined;
  readonly onClose: () => void;
}

const keyOf = ({ warehouse_id, bin, lot_number }: Placed) => JSON.stringify([warehouse_id, bin, lot_number]);

/** The field to choose one of the locations. */
function usePlaces(all: readonly Placed[], kinds: readonly Placed["kind"][], at: Placed | undefined) {
  const { several, nameOf } = useWarehouses();
  const places = all.filter(({ kind }) => kinds.includes(kind));
  const field: FormField = {
    kind: "select",
    name: "place",
    label: texts.place,
    required: true,
    options: places.map((it) => ({
      value: keyOf(it),
      title: texts.placeTitle(it.bin, it.lot_number, count(it.quantity), several ? nameOf(it.warehouse_id) : null),
    })),
  };
  const first = at ?? places[0];
  const chosen = ({ place }: FormValues) => places.find((it) => keyOf(it) === place);
  return { field, first: first === undefined ? "" : keyOf(first), chosen };
}

/** The fields that identify a location in a request. */
const named = ({ warehouse_id, bin, lot_number }: Placed) => ({
  location: warehouse_id,
  bin,
  ...(lot_number === null ? {} : { lot_number }),
});

const notes: FormField = { kind: "text", name: "notes", label: texts.notes, lines: 2 };
const letWait: FormField = {
  kind: "switch",
  name: "allow_shortfall",
  label: texts.backorderAffected,
  help: texts.backorderAffectedHelp,
};

/** Corrects the quantity in one bin and lot. */
export function AdjustDialog({ sku, places, at, onClose }: PlacesProps) {
  const lasting = ["storage", "quarantine", "damage", "returns", "putback"] as const;
  const { field, first, chosen } = usePlaces(places, lasting, at);
  const inWarehouse = (place: Placed) =>
    places.filter((it) => it.warehouse_id === place.warehouse_id).reduce((sum, it) => sum + it.quantity, 0);
  const byOf = (values: FormValues) => {
    const [place, now] = [chosen(values), enteredNumber(values["counted"])];
    return place === undefined || now === null ? null : now - place.quantity;
  };
  return (
    <FormDialog
      title={texts.adjustTitle(sku)}
      text={texts.adjustText}
      submit={texts.adjust}
      onClose={onClose}
      first={{ place: first, counted: "", reason: "stock_count", notes: "", allow_shortfall: false }}
      fields={[
        field,
        { kind: "number", name: "counted", label: texts.counted, help: texts.countedHelp, required: true, focus: true },
        { kind: "select", name: "reason", label: texts.reason, required: true, options: optionsOf(texts.reasons) },
        { ...notes, help: texts.notesFor },
        { ...letWait, when: (values) => (byOf(values) ?? 0) < 0 },
      ]}
      onSubmit={async (values, key) => {
        const place = chosen(values);
        const adjustment = byOf(values);
        if (place === undefined || adjustment === null) return;
        const { data } = await patch<Adjustment>(
          `/inventory/${encodeURIComponent(sku)}`,
          {
            adjustment,
            reason: values["reason"],
            ...named(place),
            notes: enteredText(values["notes"]) ?? null,
            expected_quantity: inWarehouse(place),
            ...(values["allow_shortfall"] === true ? { allow_shortfall: true } : {}),
          },
          { key, merchant: meant(place) },
        );
        toast(texts.adjusted(sku, data.previous_quantity, data.new_quantity));
      }}
    >
      {(values) => {
        const [place, by] = [chosen(values), byOf(values)];
        if (place === undefined || by === null) return null;
        const before = inWarehouse(place);
        return (
          <p class="will">
            {by === 0
              ? texts.nothingChanges
              : `${texts.willBe(place.quantity, place.quantity + by)} ${texts.totalWillBe(before, before + by)}`}
          </p>
        );
      }}
    </FormDialog>
  );
}

/** The field for the quantity. */
const quantityField: FormField = {
  kind: "number",
  name: "quantity",
  label: texts.quantity,
  required: true,
  width: "half",
};
const movable = ["storage", "quarantine", "damage"] as const;

/** Moves units to another bin of the same warehouse. Can be undone. */
export function MoveDialog({ sku, places, at, onClose }: PlacesProps) {
  const { field, first, chosen } = usePlaces(places, movable, at);
  return (
    <FormDialog
      title={texts.moveTitle(sku)}
      text={texts.moveText}
      submit={texts.move}
      onClose={onClose}
      first={{ place: first, quantity: at ? String(at.quantity) : "", to_bin: "", notes: "" }}
      fields={[
        field,
        quantityField,
        {
          kind: "text",
          name: "to_bin",
          label: texts.toBin,
          help: texts.toBinHelp,
          required: true,
          mono: true,
          width: "half",
        },
        notes,
      ]}
      onSubmit={async ({ place: _place, ...values }, key) => {
        const from = chosen({ place: _place });
        if (from === undefined) return;
        const body = {
          sku,
          ...named(from),
          to_bin: enteredText(values["to_bin"]),
          notes: enteredText(values["notes"]) ?? null,
        };
        const quantity = enteredNumber(values["quantity"]);
        const merchant = meant(from);
        const { data } = await post<StockMoveResult>("/inventory/moves", { ...body, quantity }, { key, merchant });
        const back = { ...named(from), sku, quantity: data.quantity, bin: data.bin, to_bin: data.from_bin };
        toast(texts.movedDone(data.quantity, sku, data.bin), {
          title: words.undo,
          run: () => void post("/inventory/moves", back, { merchant }).then(() => toast(texts.undoNote), showRefused),
        });
      }}
    >
      {(values) => {
        const [from, quantity, bin] = [
          chosen(values),
          enteredNumber(values["quantity"]),
          enteredText(values["to_bin"]),
        ];
        if (from === undefined || quantity === null || bin === undefined) return null;
        return <p class="will">{texts.moveWill(from.bin, from.quantity, bin, quantity)}</p>;
      }}
    </FormDialog>
  );
}

/** Moves units to quarantine or damage, with or without a lot. */
export function OffSaleDialog({ sku, places, at, onClose }: PlacesProps) {
  const { field, first, chosen } = usePlaces(places, ["storage"], at);
  return (
    <FormDialog
      title={texts.quarantineTitle(sku)}
      text={texts.quarantineText}
      submit={texts.quarantine}
      danger
      onClose={onClose}
      first={{ place: first, quantity: "", condition: "quarantined", notes: "", allow_shortfall: false }}
      fields={[
        field,
        quantityField,
        {
          kind: "select",
          name: "condition",
          label: texts.condition,
          required: true,
          width: "half",
          options: optionsOf(texts.conditions),
        },
        notes,
        letWait,
      ]}
      onSubmit={async (values, key) => {
        const from = chosen(values);
        if (from === undefined) return;
        const { data } = await post<StockMoveResult>(
          "/inventory/moves",
          {
            sku,
            ...named(from),
            quantity: enteredNumber(values["quantity"]),
            condition: values["condition"],
            notes: enteredText(values["notes"]) ?? null,
            ...(values["allow_shortfall"] === true ? { allow_shortfall: true } : {}),
          },
          { key, merchant: meant(from) },
        );
        toast(texts.movedDone(data.quantity, sku, data.bin));
      }}
    >
      {(values) => {
        const [from, quantity] = [chosen(values), enteredNumber(values["quantity"])];
        if (from === undefined || quantity === null) return null;
        return <p class="will">{texts.quarantineWill(quantity, from.quantity - quantity)}</p>;
      }}
    </FormDialog>
  );
}

const skuField = (onPick: (product: ProductRecord | null) => void): FormField => ({
  kind: "custom",
  name: "sku",
  label: texts.sku,
  required: true,
  width: "half",
  render: ({ value, set, problem, values }) => (
    <>
      <ProductPicker
        label={texts.sku}
        merchant={merchantIn(values)}
        shown={String(value)}
        invalid={problem() !== undefined}
        onPick={(product) => {
          set(product?.sku ?? "");
          onPick(product);
        }}
      />
      {problem() && (
        <p class="field-wrong" role="alert">
          {problem()}
        </p>
      )}
    </>
  ),
});

/** Adds units without an inbound shipment. */
export function AddDialog({ sku, onClose }: { readonly sku: string; readonly onClose: () => void }) {
  const { all, several, options } = useWarehouses();
  const [picked, setPicked] = useState<ProductRecord | null>(null);
  const { data: named } = useQuery<readonly ProductRecord[]>(sku === "" ? null : "/products", { q: sku, limit: 12 });
  const product = picked ?? named?.find((one) => one.sku === sku) ?? null;
  const [by_lot, by_expiry] = [product?.lot_tracking === true, product?.expiration_tracking === true];
  const where: readonly FormField[] = several
    ? [{ kind: "select", name: "location", label: texts.warehouse, required: true, options, empty: "" }]
    : [];
  return (
    <FormDialog
      title={texts.addTitle}
      text={texts.addText}
      submit={texts.add}
      onClose={onClose}
      first={{
        sku,
        quantity: "",
        location: "",
        bin: "",
        lot_number: "",
        expiration_date: "",
        reference: "",
        notes: "",
      }}
      fields={[
        ...(sku === "" ? merchantChoice() : []),
        skuField(setPicked),
        quantityField,
        ...where,
        { kind: "text", name: "bin", label: texts.bin, help: texts.binHelp, mono: true, width: "half" },
        { kind: "text", name: "reference", label: texts.reference, width: "half" },
        {
          ...{ kind: "text", name: "lot_number", label: texts.lot, mono: true, width: "half" },
          help: by_lot ? texts.lotNeeded(product?.sku ?? "") : texts.lotHelp,
          required: by_lot,
        },
        {
          ...{ kind: "date", name: "expiration_date", label: texts.expiry, width: "half" },
          help: by_expiry ? texts.expiryNeeded(product?.sku ?? "") : texts.expiryHelp,
          required: by_expiry,
        },
        notes,
      ]}
      onSubmit={async ({ quantity, ...values }, key) => {
        const filled = Object.entries(withoutMerchant(values)).flatMap(([name, value]) => {
          const text = enteredText(value);
          return text === undefined ? [] : [[name, text] as const];
        });
        const units = enteredNumber(quantity);
        await post(
          "/inventory",
          { ...Object.fromEntries(filled), quantity: units },
          { key, merchant: merchantIn(values) },
        );
        toast(texts.added(units ?? 0, enteredText(values["sku"]) ?? ""));
      }}
    >
      {(values) => {
        const warehouse = several ? all.find(({ warehouse_id }) => warehouse_id === values["location"]) : all[0];
        return <AddPreview values={values} product={product} warehouse={warehouse} />;
      }}
    </FormDialog>
  );
}

interface PreviewProps {
  readonly values: FormValues;
  readonly product: ProductRecord | null;
  readonly warehouse: WarehouseRecord | undefined;
}

/** The preview of adding stock, with missing or conflicting entries. */
function AddPreview({ values, product, warehouse }: PreviewProps) {
  const quantity = enteredNumber(values["quantity"]);
  const expiry = enteredText(values["expiration_date"]);
  return (
    <>
      {product && warehouse && <ZoneNeeded product={product} warehouse={warehouse} />}
      {expiry !== undefined && expiry < today() && <Notice kind="warning">{texts.expiryPast}</Notice>}
      {quantity !== null && <p class="will">{texts.addWill(quantity)}</p>}
    </>
  );
}

/** Transfers units to another merchant. They keep their lot and receipt date. */
export function OwnershipDialog({ sku, places, at, onClose }: PlacesProps) {
  const { field, first, chosen } = usePlaces(places, ["storage"], at);
  const owner = ownerOf(places[0] ?? {}) ?? null;
  const others = openMerchants.value.filter(({ id }) => id !== owner);
  return (
    <FormDialog
      title={texts.ownershipTitle(sku)}
      text={texts.ownershipText}
      submit={texts.ownershipAct}
      onClose={onClose}
      first={{ place: first, quantity: "", to_merchant_id: "", to_sku: "", to_bin: "", reason: "" }}
      fields={[
        field,
        quantityField,
        {
          kind: "select",
          name: "to_merchant_id",
          label: texts.ownershipTo,
          required: true,
          width: "half",
          empty: merchantTexts.choose,
          options: others.map(({ code, name }) => ({ value: code, title: merchantTexts.option(code, name) })),
        },
        {
          kind: "text",
          name: "to_sku",
          label: texts.ownershipSku,
          help: texts.ownershipSkuHelp,
          mono: true,
          width: "half",
        },
        { kind: "text", name: "to_bin", label: texts.toBin, help: texts.ownershipBinHelp, mono: true, width: "half" },
        { kind: "text", name: "reason", label: texts.ownershipReason, help: texts.ownershipReasonHelp, required: true },
      ]}
      onSubmit={async (values, key) => {
        const from = chosen(values);
        if (from === undefined) return;
        const quantity = enteredNumber(values["quantity"]);
        const [to_merchant_id, reason] = [enteredText(values["to_merchant_id"]), enteredText(values["reason"])];
        const to = { to_merchant_id, to_sku: enteredText(values["to_sku"]), to_bin: enteredText(values["to_bin"]) };
        const body = { from_merchant_id: owner, ...to, sku, quantity, ...named(from), reason };
        await post("/inventory/ownership_transfers", body, { key });
        toast(texts.ownershipDone(quantity ?? 0, sku, to_merchant_id ?? ""));
      }}
    >
      {(values) => {
        const [from, quantity, to] = [
          chosen(values),
          enteredNumber(values["quantity"]),
          enteredText(values["to_merchant_id"]),
        ];
        if (from === undefined || quantity === null || to === undefined) return null;
        const code = merchantOf(owner)?.code ?? "";
        return <p class="will">{texts.ownershipWill(quantity, to, from.available - quantity, code)}</p>;
      }}
    </FormDialog>
  );
}
