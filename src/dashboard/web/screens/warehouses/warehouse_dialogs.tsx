import { patch, post } from "../../api/client.ts";
import { several } from "../../api/merchants.ts";
import type { WarehouseRecord } from "../../api/types.ts";
import type { FormField, FormValues, Option } from "../../components/fields.tsx";
import { FormDialog } from "../../components/form.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { warehouseTexts as texts } from "../../text/warehouses.ts";
import { bins_max, codesIn } from "./bin_layout.ts";
import { any_merchant, assignmentField } from "./bin_reservation.tsx";

export type WarehouseZone = WarehouseRecord["location_zones"][number];

const textOf = (value: unknown) => String(value ?? "").trim();
const numberOf = (value: unknown) => (textOf(value) === "" ? null : Number(value));
const linesOf = (value: unknown) =>
  textOf(value)
    .split(/[\s,;]+/)
    .filter((line) => line !== "");

const zonesOfTime = (): readonly Option[] =>
  Intl.supportedValuesOf("timeZone").map((zone) => ({ value: zone, title: zone.replaceAll("_", " ") }));

const calendar: readonly FormField[] = [
  {
    name: "timezone",
    label: texts.timezone,
    help: texts.timezoneHelp,
    kind: "select",
    options: zonesOfTime(),
    width: "half",
  },
  { name: "cutoff_time", label: texts.cutoff, help: texts.cutoffHelp, kind: "text", width: "half" },
  { name: "working_days", label: texts.workingDays, kind: "multi-select", options: optionsOf(texts.weekdays) },
  { name: "holidays", label: texts.holidays, help: texts.holidaysHelp, kind: "text", lines: 3, mono: true },
  { name: "priority", label: texts.priority, help: texts.priorityHelp, kind: "number", min: 0, width: "half" },
];

const temperature: FormField = {
  name: "temperature_zone",
  label: texts.temperature,
  kind: "select",
  options: optionsOf(texts.temperatures),
  width: "half",
};

/** The request body of a warehouse. */
function warehouseBody(values: FormValues) {
  const { name, address, timezone, cutoff_time, working_days, holidays, priority } = values;
  return {
    name: textOf(name),
    address,
    timezone,
    cutoff_time: textOf(cutoff_time),
    working_days,
    holidays: linesOf(holidays),
    ...(numberOf(priority) === null ? {} : { priority: numberOf(priority) }),
  };
}

/** Updates the printed name in the address too, unless it differs from the warehouse's name. */
function renamed(body: ReturnType<typeof warehouseBody>, before: WarehouseRecord): typeof body {
  const address = body.address as WarehouseRecord["address"];
  const followed = address.name === before.name && before.address.name === before.name;
  return followed ? { ...body, address: { ...address, name: body.name } } : body;
}

interface WarehouseDialogProps {
  readonly onClose: () => void;
}

/** Creates a warehouse with its first zone and bins. */
export function NewWarehouse({ onClose }: WarehouseDialogProps) {
  const first: FormValues = {
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    cutoff_time: "14:00",
    working_days: ["mon", "tue", "wed", "thu", "fri"],
    temperature_zone: "ambient",
    zone_id: "A",
    address: { country: "US" },
  };
  return (
    <FormDialog
      wide
      title={texts.newTitle}
      text={texts.newText}
      submit={words.create}
      onClose={onClose}
      first={first}
      fields={[
        { name: "name", label: texts.name, kind: "text", required: true, focus: true },
        { name: "address", label: texts.address, kind: "address" },
        ...calendar,
        { name: "first", label: texts.firstZone, kind: "heading" },
        { name: "zone_id", label: texts.zoneCode, kind: "text", required: true, mono: true, width: "half" },
        temperature,
        { name: "bins", label: texts.bins, help: texts.binCodesHelp, kind: "text", lines: 3, mono: true },
      ]}
      onSubmit={async (values, key) => {
        const bins = codesIn(textOf(values["bins"])).map((code) => ({ code }));
        const zone = { zone_id: textOf(values["zone_id"]), temperature_zone: values["temperature_zone"], bins };
        await post("/inventory/locations", { ...warehouseBody(values), location_zones: [zone] }, { key });
        showSuccess(texts.created(textOf(values["name"])));
      }}
    />
  );
}

/** Changes the name, address and working days of a warehouse. */
export function ChangeWarehouse({
  warehouse,
  onClose,
}: WarehouseDialogProps & { readonly warehouse: WarehouseRecord }) {
  const { warehouse_id, name, version, holidays, ...same } = warehouse;
  return (
    <FormDialog
      wide
      title={texts.editTitle(name)}
      text={texts.editText}
      submit={words.save}
      unchanged={false}
      onClose={onClose}
      first={{ ...same, name, holidays: holidays.join("\n") }}
      fields={[
        { name: "name", label: texts.name, kind: "text", required: true },
        { name: "address", label: texts.address, kind: "address", with_name: true },
        ...calendar,
      ]}
      onSubmit={async (values, key) => {
        const sending = { key, match: `"${version}"` };
        await patch(`/inventory/locations/${warehouse_id}`, renamed(warehouseBody(values), warehouse), sending);
        showSuccess(texts.saved(textOf(values["name"])));
      }}
    />
  );
}

interface ZoneProps extends WarehouseDialogProps {
  readonly warehouse: WarehouseRecord;
  /** Null for a new one. */
  readonly zone: WarehouseZone | null;
}

/** Creates or changes a zone. */
export function ZoneDialog({ warehouse, zone, onClose }: ZoneProps) {
  return (
    <FormDialog
      title={zone === null ? texts.newZoneTitle(warehouse.name) : texts.zoneTitle(zone.zone_id)}
      submit={zone === null ? words.create : words.save}
      unchanged={zone === null}
      onClose={onClose}
      first={zone === null ? { temperature_zone: "ambient" } : { ...zone }}
      fields={[
        {
          name: "zone_id",
          label: texts.zoneCode,
          kind: "text",
          required: true,
          mono: true,
          width: "half",
          disabled: zone !== null,
        },
        temperature,
        {
          name: "temperature_range",
          label: texts.range,
          help: texts.rangeHelp,
          kind: "text",
          width: "half",
        },
        {
          name: "capacity",
          label: texts.capacity,
          help: texts.zoneCapacityHelp,
          kind: "number",
          min: 0,
          width: "half",
        },
      ]}
      onSubmit={async (values, key) => {
        const range = textOf(values["temperature_range"]);
        const zone_fields = {
          zone_id: zone?.zone_id ?? textOf(values["zone_id"]),
          temperature_zone: values["temperature_zone"],
          capacity: numberOf(values["capacity"]),
          ...(range === "" && zone === null ? {} : { temperature_range: range === "" ? null : range }),
        };
        await patch(`/inventory/locations/${warehouse.warehouse_id}`, { location_zones: [zone_fields] }, { key });
        showSuccess(texts.saved(zone_fields.zone_id));
      }}
    />
  );
}

/** Adds bins to a zone and changes existing ones. */
export function BinsDialog({ warehouse, zone, onClose }: ZoneProps & { readonly zone: WarehouseZone }) {
  const known = new Set(zone.bins.map(({ code }) => code));
  return (
    <FormDialog
      title={texts.binsTitle(zone.zone_id)}
      text={texts.binsText}
      submit={words.save}
      onClose={onClose}
      first={{ kind: "storage" }}
      fields={[
        {
          name: "bins",
          label: texts.binCodes,
          help: texts.binCodesHelp,
          kind: "text",
          lines: 5,
          mono: true,
          required: true,
          focus: true,
        },
        { name: "kind", label: texts.binKind, kind: "select", options: optionsOf(texts.binKinds), width: "half" },
        {
          name: "capacity",
          label: texts.capacity,
          help: texts.binCapacityHelp,
          kind: "number",
          min: 0,
          width: "half",
        },
        ...(several.value ? [assignmentField(true)] : []),
      ]}
      onSubmit={async ({ bins, kind, capacity, dedicated_merchant_id: kept_for = "" }, key) => {
        const keeping =
          kept_for === "" ? {} : { dedicated_merchant_id: kept_for === any_merchant ? null : String(kept_for) };
        const same = { kind, capacity: numberOf(capacity), ...keeping };
        const new_bins = codesIn(textOf(bins)).map((code) => ({ code, ...same }));
        const { zone_id, temperature_zone } = zone;
        const location_zones = [{ zone_id, temperature_zone, bins: new_bins }];
        await patch(`/inventory/locations/${warehouse.warehouse_id}`, { location_zones }, { key });
        showSuccess(texts.saved(zone_id));
      }}
    >
      {({ bins }) => {
        const codes = codesIn(textOf(bins));
        if (codes.length === 0) return null;
        const changed = codes.filter((code) => known.has(code)).length;
        const text = codes.length > bins_max ? texts.tooMany : texts.willAdd(codes.length - changed, changed);
        return (
          <p class="house-will" role="status">
            {text}
          </p>
        );
      }}
    </FormDialog>
  );
}
