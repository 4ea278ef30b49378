import type { BillableEvent } from "../../api/types.ts";
import { billingTexts as texts } from "../../text/billing.ts";
import { words as common } from "../../text/common.ts";
import { money, plural, weight } from "../../text/format.ts";
import { returnTexts } from "../../text/returns.ts";

type EventFields = Readonly<Record<string, unknown>>;

/** Display names for codes and ids in an event; null for a record without one. */
interface Names {
  readonly service: (carrier: string, service: string | null) => string;
  readonly record: (id: string) => string | null;
}
type DetailText = string | null;

const words = texts.facts;
const amountOf = (value: unknown) => (typeof value === "number" ? value : Number(value ?? 0));
const some = (value: unknown, one: string, many: string): DetailText =>
  amountOf(value) === 0 ? null : plural(amountOf(value), one, many);

interface InspectedItemFields {
  readonly sku: string;
  readonly quantity: number;
  readonly condition: string;
  readonly disposition: string;
}

interface ComponentUnits {
  readonly sku: string;
  readonly quantity: number;
}

interface PackageFields {
  readonly name: string | null;
  readonly weight: string | null;
  readonly weight_unit: string | null;
  readonly weight_is: string | null;
}

/** The known packaging and weight of a parcel. */
function packageOf({ name, weight: heavy, weight_unit, weight_is }: PackageFields): string {
  const weighs = heavy === null ? null : `${weight(Number(heavy), weight_unit)} ${weight_is ?? ""}`.trim();
  return [name, weighs].filter(Boolean).join(" ");
}

const findingOf = ({ sku, quantity, condition, disposition }: InspectedItemFields) =>
  words.finding(
    quantity,
    sku,
    condition.replaceAll("_", " "),
    (returnTexts.dispositions[disposition] ?? disposition).toLowerCase(),
  );

/** The text for each attribute of an event, in display order; null to omit it. */
const texts_of: Readonly<Record<string, (value: unknown, all: EventFields, names: Names) => DetailText>> = {
  description: String,
  sku: String,
  announced: (value) => (value === true ? words.announced : words.unannounced),
  reference: String,
  carrier: (value, { service }, names) => names.service(String(value), service === undefined ? null : String(service)),
  zone: (value) => words.zone(String(value)),
  billable_weight: (value) => words.billedWeight(weight(amountOf(value), "lb")),
  cost: (value, { currency }) => money(amountOf(value), String(currency ?? "USD")),
  parcels: (value) => some(value, words.parcel, words.parcels),
  skus: (value) => some(value, common.sku, words.skus),
  lots: (value) => some(value, words.lot, words.lots),
  cartons: (value) => some(value, words.carton, words.cartons),
  pallets: (value) => some(value, words.pallet, words.pallets),
  minutes: (value) => some(value, words.minute, words.minutes),
  skus_of_order: (value) => words.ofOrder(plural(amountOf(value), common.sku, words.skus)),
  first_of_order: (value) => (value === true ? words.first : null),
  unit_weight: (value, { weight_unit }) => words.each(weight(amountOf(value), String(weight_unit ?? "g"))),
  sets: (value) => some(value, words.set, words.sets),
  packages: (value) => (value as readonly PackageFields[]).map(packageOf).filter(Boolean).join(", ") || null,
  components: (value) => (value as readonly ComponentUnits[]).map((one) => `${one.quantity} × ${one.sku}`).join(", "),
  outside_working_hours: (value) => (value === true ? words.outsideHours : null),
  findings: (value) => (value as readonly InspectedItemFields[]).map(findingOf).join(", "),
  approved_by: (value) => words.agreedWith(String(value)),
  reason: String,
};

/** Attributes shown by another attribute's text or in other columns. */
const shown_elsewhere: ReadonlySet<string> = new Set([
  ...["service", "currency", "weight_unit", "package", "confirmed", "shipment_id", "account_id"],
]);

/** The attributes of a billable event in a short text. The API already omits some of them for merchants. */
export function detailsOf({ attributes, source }: Pick<BillableEvent, "attributes" | "source">, names: Names): string {
  const known = (name: string): DetailText => {
    const value = attributes[name];
    if (value === null || value === undefined || value === "" || value === source.id) return null;
    if (shown_elsewhere.has(name)) return null;
    const tell = texts_of[name];
    if (tell !== undefined) return tell(value, attributes, names);
    const shown = typeof value === "object" ? JSON.stringify(value) : (names.record(String(value)) ?? String(value));
    return `${texts.factNames[name as keyof typeof texts.factNames] ?? name.replaceAll("_", " ")}: ${shown}`;
  };
  const fields = [...Object.keys(texts_of), ...Object.keys(attributes).filter((name) => !(name in texts_of))];
  return fields.flatMap((name) => known(name) ?? []).join(" · ");
}
