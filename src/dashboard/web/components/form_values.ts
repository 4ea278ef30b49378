// The values of a form, from a record and to a request, by the descriptions of its fields.
import type { FormField, FormValues, Option } from "./fields.tsx";

type Input = Exclude<FormField, { readonly kind: "heading" }>;

const inputsOf = (fields: readonly FormField[]) => fields.filter((field): field is Input => field.kind !== "heading");
const isBlank = (value: unknown) => value === "" || value === null || value === undefined;

/** An entered number. Other text is sent unchanged, so that the API reports the error. */
export function numberOrText(value: unknown): number | string | null {
  const text = String(value ?? "").trim();
  return text === "" ? null : Number.isFinite(Number(text)) ? Number(text) : text;
}

function firstOf({ kind, first }: Input): unknown {
  if (first !== undefined) return first;
  return kind === "switch" ? false : kind === "multi-select" ? [] : kind === "address" ? {} : "";
}

/** The value at a path of a record: `customs.hs_code` is a field of a group. */
export function valueAt(record: object | null, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (value as FormValues | null | undefined)?.[name], record);
}

/** The values of a form for a record, or for a new one. */
export function valuesOf(fields: readonly FormField[], record: object | null = null): FormValues {
  const entries = inputsOf(fields).flatMap((field): [string, unknown][] => {
    const { name, kind, entered } = field;
    const value = valueAt(record, name) ?? null;
    const shown = value === null ? firstOf(field) : entered ? entered(value) : value;
    const own = [name, kind === "date" ? String(shown).slice(0, 10) : shown] as [string, unknown];
    if (kind === "weight") return [own, [field.unit_name, valueAt(record, field.unit_name) ?? "lb"]];
    // An existing amount is shown in its record's currency.
    const currency = kind === "money" ? valueAt(record, "currency") : undefined;
    return currency === undefined ? [own] : [own, ["currency", currency]];
  });
  return Object.fromEntries(entries);
}

/** The request of a form: the values of its visible fields. `before` is the record that it changes. */
export function bodyOf(fields: readonly FormField[], values: FormValues, before: object | null = null): FormValues {
  const body: Record<string, unknown> = {};
  for (const field of inputsOf(fields)) {
    if (field.disabled || field.when?.(values) === false) continue;
    const [name = "", inner] = field.name.split(".");
    const value = sentValue(field, values[field.name], before);
    if (inner === undefined) body[name] = value;
    else body[name] = { ...(body[name] as FormValues | null), ...(!isBlank(value) && { [inner]: value }) };
    if (field.kind === "weight") body[field.unit_name] = value === null ? null : values[field.unit_name];
  }
  for (const [name, group] of groupsOf(fields)) {
    // A unit without numbers is not an entry.
    const isUnit = ({ kind, required }: Input) => kind === "select" && required;
    if (group.every((field) => isUnit(field) || isBlank(values[field.name]))) body[name] = null;
  }
  return body;
}

function groupsOf(fields: readonly FormField[]): ReadonlyMap<string, readonly Input[]> {
  const inner = inputsOf(fields).filter(({ name }) => name.includes("."));
  return Map.groupBy(inner, ({ name }) => name.slice(0, name.indexOf(".")));
}

function sentValue(field: Input, value: unknown, before: object | null): unknown {
  if (field.sent) return field.sent(value, before);
  if (field.kind === "address") {
    const lines = Object.entries(value as FormValues).filter(([, line]) => !isBlank(line));
    // The form begins with a country, which alone is no address.
    return lines.some(([name]) => name !== "country") ? Object.fromEntries(lines) : null;
  }
  if (isBlank(value)) return "blank" in field ? field.blank : null;
  return field.kind === "number" || field.kind === "weight" ? numberOrText(value) : value;
}

/** Options from a map of values to titles, or from values that are their own titles. */
export const optionsOf = (all: Readonly<Record<string, string>> | readonly string[]): readonly Option[] =>
  Object.entries(all).map(([key, title]) => ({ value: Array.isArray(all) ? title : key, title }));
