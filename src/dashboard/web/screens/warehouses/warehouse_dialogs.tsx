import { several } from "../../api/merchants.ts";
import type { WarehouseRecord } from "../../api/types.ts";
import type { Action } from "../../components/action.tsx";
import type { FormField, FormValues, Option } from "../../components/fields.tsx";
import { optionsOf } from "../../components/form_values.ts";
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
  { name: "priority", label: texts.priority, help: texts.priorityHelp, kind: "number", width: "half" },
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

const manage = { permission: "operator.manage" } as const;

/** Creates a warehouse with its first zone and bins. */
export const newWarehouse: Action = {
  title: texts.add,
  icon: "plus",
  button: "primary",
  ...manage,
  ask: {
    title: texts.newTitle,
    text: texts.newText,
    wide: true,
    submit: words.create,
    first: {
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      cutoff_time: "14:00",
      working_days: ["mon", "tue", "wed", "thu", "fri"],
      temperature_zone: "ambient",
      zone_id: "A",
      address: { country: "US" },
    },
    fields: [
      { name: "name", label: words.name, kind: "text", required: true, focus: true },
      { name: "address", label: words.address, kind: "address" },
      ...calendar,
      { name: "first", label: texts.firstZone, kind: "heading" },
      { name: "zone_id", label: words.code, kind: "text", required: true, mono: true, width: "half" },
      temperature,
      { name: "bins", label: texts.bins, help: texts.binCodesHelp, kind: "text", lines: 3, mono: true },
    ],
  },
  call: (values) => {
    const bins = codesIn(textOf(values["bins"])).map((code) => ({ code }));
    const zone = { zone_id: textOf(values["zone_id"]), temperature_zone: values["temperature_zone"], bins };
    const body = { ...warehouseBody(values), location_zones: [zone] };
    return { method: "POST", path: "/inventory/locations", body };
  },
  done: (_data, { name }) => texts.created(textOf(name)),
};

/** Changes the name, address and working days of a warehouse. */
export function editWarehouse(warehouse: WarehouseRecord): Action {
  const { warehouse_id, name, revision, holidays, ...same } = warehouse;
  return {
    title: words.edit,
    icon: "edit",
    ...manage,
    match: `"${revision}"`,
    ask: {
      title: texts.editTitle(name),
      text: texts.editText,
      wide: true,
      edits: true,
      first: { ...same, name, holidays: holidays.join("\n") },
      fields: [
        { name: "name", label: words.name, kind: "text", required: true },
        { name: "address", label: words.address, kind: "address", with_name: true },
        ...calendar,
      ],
    },
    call: (values) => {
      const body = renamed(warehouseBody(values), warehouse);
      return { method: "PATCH", path: `/inventory/locations/${warehouse_id}`, body };
    },
    done: (_data, values) => texts.saved(textOf(values["name"])),
  };
}

/** Changes a zone, or creates one. */
export const editZone = ({ warehouse_id, name }: WarehouseRecord, zone: WarehouseZone | null): Action => ({
  ...(zone === null ? { title: texts.addZone, icon: "plus" } : { title: texts.editZone, icon: "edit" }),
  ...manage,
  ask: {
    title: zone === null ? texts.newZoneTitle(name) : texts.zoneTitle(zone.zone_id),
    ...(zone === null ? { submit: words.create } : { edits: true }),
    first: zone === null ? { temperature_zone: "ambient" } : { ...zone },
    fields: [
      {
        name: "zone_id",
        label: words.code,
        kind: "text",
        required: true,
        mono: true,
        width: "half",
        disabled: zone !== null,
      },
      temperature,
      { name: "temperature_range", label: texts.range, help: texts.rangeHelp, kind: "text", width: "half" },
      { name: "capacity", label: texts.capacity, kind: "number", width: "half", help: texts.zoneCapacityHelp },
    ],
  },
  call: (values) => {
    const range = textOf(values["temperature_range"]);
    const zone_fields = {
      zone_id: zone?.zone_id ?? textOf(values["zone_id"]),
      temperature_zone: values["temperature_zone"],
      capacity: numberOf(values["capacity"]),
      ...(range === "" && zone === null ? {} : { temperature_range: range === "" ? null : range }),
    };
    return { method: "PATCH", path: `/inventory/locations/${warehouse_id}`, body: { location_zones: [zone_fields] } };
  },
  done: (_data, values) => texts.saved(zone?.zone_id ?? textOf(values["zone_id"])),
});

/** Adds bins to a zone and changes existing ones. */
export function addBins({ warehouse_id }: WarehouseRecord, zone: WarehouseZone): Action {
  const { zone_id, temperature_zone } = zone;
  const known = new Set(zone.bins.map(({ code }) => code));
  return {
    title: texts.addBins,
    icon: "bins",
    ...manage,
    done: texts.saved(zone_id),
    ask: {
      title: texts.binsTitle(zone_id),
      text: texts.binsText,
      submit: words.save,
      first: { kind: "storage" },
      fields: [
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
        { name: "capacity", label: texts.capacity, kind: "number", width: "half", help: texts.binCapacityHelp },
        ...(several.value ? [assignmentField(true)] : []),
      ],
      preview: ({ bins }) => {
        const codes = codesIn(textOf(bins));
        if (codes.length === 0) return null;
        const changed = codes.filter((code) => known.has(code)).length;
        return (
          <p class="house-will" role="status">
            {codes.length > bins_max ? texts.tooMany : texts.willAdd(codes.length - changed, changed)}
          </p>
        );
      },
    },
    call: ({ bins, kind, capacity, dedicated_merchant_id: kept_for = "" }) => {
      const keeping =
        kept_for === "" ? {} : { dedicated_merchant_id: kept_for === any_merchant ? null : String(kept_for) };
      const same = { kind, capacity: numberOf(capacity), ...keeping };
      const new_bins = codesIn(textOf(bins)).map((code) => ({ code, ...same }));
      const location_zones = [{ zone_id, temperature_zone, bins: new_bins }];
      return { method: "PATCH", path: `/inventory/locations/${warehouse_id}`, body: { location_zones } };
    },
  };
}
