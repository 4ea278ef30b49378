import type { Facts } from "./entry.ts";

const targets_max = 50;
const fields_max = 40;
const value_letters_max = 100;

const wire_id = /^[a-z]{3}_[1-9]\d{0,15}$/;
// Fields of an answer that do not describe the record that it is about.
const not_named: readonly string[] = ["merchant_id", "request_id"];

type Fields = Readonly<Record<string, unknown>>;

/**
 * The records that an act changed: those that its answer names by `id`, by another field such as `order_id`, or by
 * `sku`; for an answer with many records each of them; otherwise those that the path names.
 */
export function targetsOf(data: unknown, named_by_path: readonly string[]): string[] {
  const own = idsOf(data);
  const many = own.length > 0 ? [] : Object.values(Object(data) as Fields).flatMap(idsOfList);
  const found = [...own, ...many, ...(Array.isArray(data) ? idsOfList(data) : [])];
  return [...new Set(found.length > 0 ? found : named_by_path)].slice(0, targets_max);
}

function idsOf(record: unknown): string[] {
  if (typeof record !== "object" || record === null || Array.isArray(record)) return [];
  return Object.entries(record).flatMap(([field, value]) => {
    if (typeof value !== "string" || not_named.includes(field)) return [];
    if (field === "sku") return [value];
    return (field === "id" || field.endsWith("_id")) && wire_id.test(value) ? [value] : [];
  });
}

/** The records of a list, each by its own `id` or by that of the one record in it. */
function idsOfList(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.slice(0, targets_max).flatMap((one: unknown) => {
    const [id] = idsOf(one);
    if (id !== undefined) return [id];
    const inner = Object.values(Object(one) as Fields).find((value) => idsOf(value).length > 0);
    return idsOf(inner).slice(0, 1);
  });
}

// Fields whose values are words of a closed list, or name a merchant: they show the decision and are never secret.
const told_fields: readonly string[] = [
  ...["role", "permission", "status", "disposition", "reason", "ip_mode", "merchant_id"],
];
const word = /^[\w.-]+$/;

/** The part of an act's body that may be kept: the names of its fields, and the values of a few. */
export function factsOf(body: unknown): Facts {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return {};
  const entries = Object.entries(body);
  if (entries.length === 0) return {};
  const told = entries.filter((entry): entry is [string, string] => {
    const [field, value] = entry;
    if (typeof value !== "string" || value.length > value_letters_max) return false;
    return told_fields.includes(field) && word.test(value);
  });
  return { fields: entries.slice(0, fields_max).map(([field]) => field), ...Object.fromEntries(told) };
}
