import { useState } from "preact/hooks";
import { patch, post } from "../../api/client.ts";
import { meant, merchantOf, openMerchants, ownerOf } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type {
  AddedStock,
  Adjustment,
  Placed,
  ProductRecord,
  StockMoveResult,
  WarehouseRecord,
} from "../../api/types.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { FieldError, type FormField, type FormValues } from "../../components/fields.tsx";
import { FormDialog } from "../../components/form.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { merchantChoice, merchantIn, merchantOptions, withoutMerchant } from "../../components/merchant_field.tsx";
import { Notice } from "../../components/notice.tsx";
import { today } from "../../components/now.ts";
import { ProductPicker } from "../../components/pickers.tsx";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { merchantTexts } from "../../text/merchants.ts";
import { stockTexts as texts } from "../../text/stock.ts";
import { enteredNumber, enteredText, useWarehouses } from "./stock_links.ts";

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
    title: texts.zoneAdd(wanted),
    icon: "plus",
    permission: "operator.manage",
    ask: { title: texts.zoneTitle(wanted, warehouse.name), text: texts.zoneText(zone_id) },
    call: {
      method: "PATCH",
      path: `/inventory/locations/${warehouse.warehouse_id}`,
      body: { location_zones: [{ zone_id, temperature_zone: wanted }] },
    },
    done: texts.zoneAdded(zone_id),
  };
  return (
    <Notice kind="warning">
      <p>{texts.zoneNeeded(sku, wanted, warehouse.name)}</p>
      <p>{may("operator.manage") ? <ActionButton of={add} /> : texts.zoneAsk}</p>
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

type Chosen = (values: FormValues) => Placed | undefined;

interface PlaceDialogProps extends PlacesProps {
  readonly kinds: readonly Placed["kind"][];
  readonly title: string;
  readonly text: string;
  readonly submit: string;
  readonly danger?: boolean;
  readonly first?: FormValues;
  /** The fields after that for the location. */
  readonly fields: (chosen: Chosen) => readonly FormField[];
  readonly send: (from: Placed, values: FormValues, key: string) => Promise<void>;
  /** What will happen; null while the entries are incomplete. */
  readonly preview: (from: Placed, values: FormValues) => string | null;
}

/** A dialog about the units of one location. */
function PlaceDialog({ places: all, kinds, at, first, fields, send, preview, ...dialog }: PlaceDialogProps) {
  const { several, nameOf } = useWarehouses();
  const places = all.filter(({ kind }) => kinds.includes(kind));
  const start = at ?? places[0];
  const chosen: Chosen = ({ place }) => places.find((it) => keyOf(it) === place);
  const options = places.map((it) => ({
    value: keyOf(it),
    title: texts.placeTitle(it.bin, it.lot_number, count(it.quantity), several ? nameOf(it.warehouse_id) : null),
  }));
  return (
    <FormDialog
      {...dialog}
      first={{ place: start === undefined ? "" : keyOf(start), ...first }}
      fields={[{ kind: "select", name: "place", label: words.location, required: true, options }, ...fields(chosen)]}
      onSubmit={async (values, key) => {
        const from = chosen(values);
        if (from !== undefined) await send(from, values, key);
      }}
    >
      {(values) => {
        const from = chosen(values);
        const will = from === undefined ? null : preview(from, values);
        return will === null ? null : <p class="will">{will}</p>;
      }}
    </FormDialog>
  );
}

/** The fields that identify a location in a request. */
const named = ({ warehouse_id, bin, lot_number }: Placed) => ({
  location: warehouse_id,
  bin,
  ...(lot_number === null ? {} : { lot_number }),
});
/** The quantity in a request, with the notes. */
const entered = ({ quantity, notes }: FormValues) => ({
  quantity: enteredNumber(quantity),
  notes: enteredText(notes) ?? null,
});
const shortfallIn = ({ allow_shortfall }: FormValues) => (allow_shortfall === true ? { allow_shortfall } : {});

const notes: FormField = { kind: "text", name: "notes", label: words.notes, lines: 2 };
const letWait: FormField = {
  kind: "switch",
  name: "allow_shortfall",
  label: texts.backorderAffected,
  help: texts.backorderAffectedHelp,
};

/** Corrects the quantity in one bin and lot. */
export function AdjustDialog(props: PlacesProps) {
  const { sku, places } = props;
  const inWarehouse = (place: Placed) =>
    places.filter((it) => it.warehouse_id === place.warehouse_id).reduce((sum, it) => sum + it.quantity, 0);
  const byOf = (place: Placed | undefined, { counted }: FormValues) => {
    const now = enteredNumber(counted);
    return place === undefined || now === null ? null : now - place.quantity;
  };
  return (
    <PlaceDialog
      {...props}
      kinds={["storage", "quarantine", "damage", "returns", "putback"]}
      title={texts.adjustTitle(sku)}
      text={texts.adjustText}
      submit={texts.adjust}
      first={{ reason: "stock_count" }}
      fields={(chosen) => [
        { kind: "number", name: "counted", label: texts.counted, help: texts.countedHelp, required: true, focus: true },
        { kind: "select", name: "reason", label: words.reason, required: true, options: optionsOf(texts.reasons) },
        { ...notes, help: texts.notesFor },
        { ...letWait, when: (values) => (byOf(chosen(values), values) ?? 0) < 0 },
      ]}
      send={async (place, values, key) => {
        const adjustment = byOf(place, values);
        if (adjustment === null) return;
        const body = {
          adjustment,
          reason: values["reason"],
          ...named(place),
          notes: enteredText(values["notes"]) ?? null,
          expected_quantity: inWarehouse(place),
          ...shortfallIn(values),
        };
        const sending = { key, merchant: meant(place) };
        const { data } = await patch<Adjustment>(`/inventory/${encodeURIComponent(sku)}`, body, sending);
        showSuccess(texts.adjusted(sku, data.previous_quantity, data.new_quantity));
      }}
      preview={(place, values) => {
        const by = byOf(place, values);
        if (by === null) return null;
        if (by === 0) return texts.nothingChanges;
        const before = inWarehouse(place);
        return `${texts.willBe(place.quantity, place.quantity + by)} ${texts.totalWillBe(before, before + by)}`;
      }}
    />
  );
}

/** The field for the quantity. */
const quantityField: FormField = {
  kind: "number",
  name: "quantity",
  label: words.units,
  required: true,
  width: "half",
};

/** Moves units to another bin of the same warehouse. Can be undone. */
export function MoveDialog(props: PlacesProps) {
  const { sku, at } = props;
  const toBin = { kind: "text", name: "to_bin", label: words.toBin, help: texts.toBinHelp, required: true } as const;
  return (
    <PlaceDialog
      {...props}
      kinds={["storage", "quarantine", "damage"]}
      title={texts.moveTitle(sku)}
      text={texts.moveText}
      submit={texts.move}
      first={{ quantity: at ? String(at.quantity) : "" }}
      fields={() => [quantityField, { ...toBin, mono: true, width: "half" }, notes]}
      send={async (from, values, key) => {
        const body = { sku, ...named(from), to_bin: enteredText(values["to_bin"]), ...entered(values) };
        const merchant = meant(from);
        const { data } = await post<StockMoveResult>("/inventory/moves", body, { key, merchant });
        const back = { ...named(from), sku, quantity: data.quantity, bin: data.bin, to_bin: data.from_bin };
        const undo = () => post("/inventory/moves", back, { merchant });
        showSuccess(texts.movedDone(data.quantity, sku, data.bin), {
          title: words.undo,
          run: () => void undo().then(() => showSuccess(texts.undoNote), showRefused),
        });
      }}
      preview={(from, values) => {
        const [quantity, bin] = [enteredNumber(values["quantity"]), enteredText(values["to_bin"])];
        return quantity === null || bin === undefined ? null : texts.moveWill(from.bin, from.quantity, bin, quantity);
      }}
    />
  );
}

/** Moves units to quarantine or damage, with or without a lot. */
export function OffSaleDialog(props: PlacesProps) {
  const { sku } = props;
  const options = optionsOf(texts.conditions);
  return (
    <PlaceDialog
      {...props}
      kinds={["storage"]}
      title={texts.quarantineTitle(sku)}
      text={texts.quarantineText}
      submit={texts.quarantine}
      danger
      first={{ condition: "quarantined" }}
      fields={() => [
        quantityField,
        { kind: "select", name: "condition", label: words.reason, required: true, width: "half", options },
        notes,
        letWait,
      ]}
      send={async (from, values, key) => {
        const what = { sku, ...named(from), ...entered(values), condition: values["condition"] };
        const body = { ...what, ...shortfallIn(values) };
        const { data } = await post<StockMoveResult>("/inventory/moves", body, { key, merchant: meant(from) });
        showSuccess(texts.movedDone(data.quantity, sku, data.bin));
      }}
      preview={(from, values) => {
        const quantity = enteredNumber(values["quantity"]);
        return quantity === null ? null : texts.quarantineWill(quantity, from.quantity - quantity);
      }}
    />
  );
}

const skuField = (onPick: (product: ProductRecord | null) => void): FormField => ({
  kind: "custom",
  name: "sku",
  label: words.sku,
  required: true,
  width: "half",
  render: ({ value, set, problem, values }) => (
    <>
      <ProductPicker
        label={words.sku}
        merchant={merchantIn(values)}
        shown={String(value)}
        invalid={problem() !== undefined}
        onPick={(product) => {
          set(product?.sku ?? "");
          onPick(product);
        }}
      />
      <FieldError text={problem()} />
    </>
  ),
});

/** Adds units without an inbound shipment. */
export function AddDialog({ sku, onClose }: { readonly sku: string; readonly onClose: () => void }) {
  const { all, several, field } = useWarehouses();
  const [picked, setPicked] = useState<ProductRecord | null>(null);
  const { data: named } = useQuery<readonly ProductRecord[]>(sku === "" ? null : "/products", { q: sku, limit: 12 });
  const product = picked ?? named?.find((one) => one.sku === sku) ?? null;
  const [by_lot, by_expiry] = [product?.lot_tracking === true, product?.expiration_tracking === true];
  return (
    <FormDialog
      title={texts.addTitle}
      text={texts.addText}
      submit={texts.add}
      onClose={onClose}
      first={{ sku }}
      fields={[
        ...(sku === "" ? merchantChoice() : []),
        skuField(setPicked),
        quantityField,
        field(words.warehouse),
        { kind: "text", name: "bin", label: words.bin, help: texts.binHelp, mono: true, width: "half" },
        { kind: "text", name: "reference", label: words.reference, width: "half" },
        {
          kind: "text",
          name: "lot_number",
          label: words.lot,
          mono: true,
          width: "half",
          help: by_lot ? texts.lotNeeded(product?.sku ?? "") : texts.lotHelp,
          required: by_lot,
        },
        {
          kind: "date",
          name: "expiration_date",
          label: words.expires,
          width: "half",
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
        const body = { ...Object.fromEntries(filled), quantity: units };
        const added = await post<AddedStock>("/inventory", body, { key, merchant: merchantIn(values) });
        const { sku, received } = added.data;
        showSuccess(texts.added(received.quantity, sku, received.location));
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
export function OwnershipDialog(props: PlacesProps) {
  const { sku, places } = props;
  const owner = ownerOf(places[0] ?? {}) ?? null;
  const options = merchantOptions(openMerchants.value.filter(({ id }) => id !== owner));
  return (
    <PlaceDialog
      {...props}
      kinds={["storage"]}
      title={texts.ownershipTitle(sku)}
      text={texts.ownershipText}
      submit={words.transfer}
      fields={() => [
        quantityField,
        {
          kind: "select",
          name: "to_merchant_id",
          label: texts.ownershipTo,
          required: true,
          width: "half",
          empty: merchantTexts.choose,
          options,
        },
        {
          kind: "text",
          name: "to_sku",
          label: texts.ownershipSku,
          help: texts.ownershipSkuHelp,
          mono: true,
          width: "half",
        },
        { kind: "text", name: "to_bin", label: words.toBin, help: texts.ownershipBinHelp, mono: true, width: "half" },
        { kind: "text", name: "reason", label: words.reason, help: texts.ownershipReasonHelp, required: true },
      ]}
      send={async (from, values, key) => {
        const quantity = enteredNumber(values["quantity"]);
        const [to_merchant_id, reason] = [enteredText(values["to_merchant_id"]), enteredText(values["reason"])];
        const to = { to_merchant_id, to_sku: enteredText(values["to_sku"]), to_bin: enteredText(values["to_bin"]) };
        const body = { from_merchant_id: owner, ...to, sku, quantity, ...named(from), reason };
        await post("/inventory/ownership_transfers", body, { key });
        showSuccess(texts.ownershipDone(quantity ?? 0, sku, to_merchant_id ?? ""));
      }}
      preview={(from, values) => {
        const [quantity, to] = [enteredNumber(values["quantity"]), enteredText(values["to_merchant_id"])];
        if (quantity === null || to === undefined) return null;
        return texts.ownershipWill(quantity, to, from.available - quantity, merchantOf(owner)?.code ?? "");
      }}
    />
  );
}
