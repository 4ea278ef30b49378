import type { Actor } from "../../core/actor.ts";
import { iso } from "../../core/clock.ts";
import type { CsvCell } from "../../core/csv.ts";
import type { Environment } from "../../core/environment.ts";
import { wireId } from "../../core/ids.ts";

/** The further facts of an entry: no secrets, and no long texts. */
export type AuditFacts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** One act in the audit log. */
export interface AuditedAct {
  readonly actor: Actor;
  readonly mode: Environment;
  /** The name of the operation in the reference, or another act such as `signIn`. */
  readonly action: string;
  /** The record that was changed, by its id: `ord_7`, `usr_2`. */
  readonly targets: readonly string[];
  readonly ip: string | null;
  /** The HTTP status of the response; null for acts on the command line. */
  readonly status: number | null;
  readonly facts: AuditFacts;
}

/** An act as it is stored. */
export interface AuditLogEntry extends AuditedAct {
  readonly id: number;
  readonly created_at: number;
}

/** The entry as the API shows it. */
export function entryView({ id, created_at, actor, mode, action, targets, ip, status, facts }: AuditLogEntry) {
  return {
    id: wireId("audit_entry", id),
    created_at: iso(created_at),
    actor: { type: actor.type, id: actor.id, name: actor.name },
    mode,
    action,
    targets,
    request_id: actor.request_id,
    ip_address: ip,
    status,
    facts,
  };
}

export const entryColumns: readonly string[] = [
  ...["id", "created_at", "actor_type", "actor_id", "actor_name", "mode", "action", "targets"],
  ...["request_id", "ip_address", "status", "facts"],
];

/** The entry as a row of the CSV file. */
export function entryCells({
  id,
  created_at,
  actor,
  mode,
  action,
  targets,
  ip,
  status,
  facts,
}: AuditLogEntry): CsvCell[] {
  const { type, id: actor_id, name, request_id } = actor;
  const who = [type, actor_id, name];
  const details = Object.keys(facts).length === 0 ? "" : JSON.stringify(facts);
  const what = [mode, action, targets.join(" ")];
  return [wireId("audit_entry", id), iso(created_at), ...who, ...what, request_id, ip, status, details];
}

const targets_max = 50;
const fields_max = 40;
const value_letters_max = 100;

const wire_id = /^[a-z]{3}_[1-9]\d{0,15}$/;
// Fields of a response that do not identify its record.
const not_named: readonly string[] = ["merchant_id", "request_id"];

type AuditedFields = Readonly<Record<string, unknown>>;

/**
 * The records that an act changed: those in its response by `id`, by another field such as `order_id`, or by `sku`; for
 * a response with many records each of them; otherwise those in the path.
 */
export function targetsOf(data: unknown, named_by_path: readonly string[]): string[] {
  const own = idsOf(data);
  const many = own.length > 0 ? [] : Object.values(Object(data) as AuditedFields).flatMap(idsOfList);
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
    const inner = Object.values(Object(one) as AuditedFields).find((value) => idsOf(value).length > 0);
    return idsOf(inner).slice(0, 1);
  });
}

// Fields with values of a closed list, or a merchant. They show the decision and are never secret.
const recorded_fields: readonly string[] = [
  ...["role", "permission", "status", "disposition", "reason", "ip_mode", "merchant_id"],
];
const word = /^[\w.-]+$/;

/** The part of a request body that the audit log stores: the names of its fields, and the values of a few. */
export function factsOf(body: unknown): AuditFacts {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return {};
  const entries = Object.entries(body);
  if (entries.length === 0) return {};
  const recorded = entries.filter((entry): entry is [string, string] => {
    const [field, value] = entry;
    if (typeof value !== "string" || value.length > value_letters_max) return false;
    return recorded_fields.includes(field) && word.test(value);
  });
  return { fields: entries.slice(0, fields_max).map(([field]) => field), ...Object.fromEntries(recorded) };
}
