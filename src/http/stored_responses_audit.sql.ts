// Checks the responses stored for repeated requests: each is complete, and the record that it names exists.
import { and, asc, gt, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { among, list } from "../../db/kit.ts";
import { customers } from "../../db/schema/customers.ts";
import { orders } from "../../db/schema/orders.ts";
import { products } from "../../db/schema/products.ts";
import { reservations } from "../../db/schema/reservations.ts";
import { returns } from "../../db/schema/returns.ts";
import { idempotency_keys } from "../../db/schema/service.ts";
import { labels } from "../../db/schema/shipments.ts";
import { isSealed } from "../core/crypto.ts";
import { readId } from "../core/ids.ts";
import type { Db } from "../storage/database.ts";
import { type FoundFigure, verifierOf } from "../storage/verifier.ts";
import { isDropped } from "./stored_responses.sql.ts";

const complete_rule = "I14 a stored response is complete";
const created_rule = "I14 the record that a stored response created exists";
const slice = 500;

/** The kinds of records that a response may name, by the prefix of its id. */
const tables = {
  order: orders,
  product: products,
  customer: customers,
  return: returns,
  label: labels,
  reservation: reservations,
} as const satisfies Record<string, PgTable & { readonly id: AnyPgColumn }>;
type StoredNoun = keyof typeof tables;

interface StoredResponseRow {
  readonly key: string;
  readonly status: number;
  readonly headers: string;
  readonly body: string;
  readonly created_at: number;
}

/** Checks every stored response, in batches. */
export const verifyAnswers = verifierOf({ nouns: {}, rules: [], figures });

async function* figures(db: Db): AsyncGenerator<FoundFigure> {
  for (let rows = await after(db, null); rows.length > 0; rows = await after(db, rows.at(-1)?.key ?? null)) {
    const named = rows.map((row) => ({ row, created: madeBy(row) }));
    const there = await findThere(
      db,
      named.flatMap(({ created }) => created ?? []),
    );
    for (const { row, created: one } of named) {
      const is_whole = isWhole(row);
      yield figure(complete_rule, row, is_whole);
      if (is_whole && one !== null) yield figure(created_rule, row, there.has(`${one.noun} ${one.id}`));
    }
  }
}

const figure = (rule: string, { key, status, created_at }: StoredResponseRow, holds: boolean): FoundFigure => ({
  rule,
  subject: `stored response ${key}`,
  expected: 1,
  actual: holds ? 1 : 0,
  rows: () => [{ table: "idempotency_keys", status, created_at }],
});

async function after(db: Db, last: string | null): Promise<StoredResponseRow[]> {
  const { status, headers, body, created_at, expires_at } = idempotency_keys;
  return db.sql
    .select({ key: idempotency_keys.key, status, headers, body, created_at })
    .from(idempotency_keys)
    .where(and(gt(expires_at, db.now), last === null ? undefined : gt(idempotency_keys.key, last)))
    .orderBy(asc(idempotency_keys.key))
    .limit(slice);
}

/** Whether the stored response is a JSON object, encrypted, or dropped. */
function isWhole(kept: StoredResponseRow): boolean {
  if (isDropped(kept)) return true;
  const { status, headers, body } = kept;
  const known = (status >= 200 && status < 300) || status === 409 || status === 422;
  const parsed = objectOf(body);
  return known && objectOf(headers) !== null && (isSealed(body) || (parsed !== null && Object.keys(parsed).length > 0));
}

function madeBy({ status, body }: StoredResponseRow): { noun: StoredNoun; id: number } | null {
  const answer = status === 201 ? objectOf(body) : null;
  if (answer === null) return null;
  const data = (typeof answer["data"] === "object" ? answer["data"] : answer) as Record<string, unknown> | null;
  const name = data?.["id"] ?? data?.["label_id"] ?? data?.["reservation_id"];
  if (typeof name !== "string") return null;
  for (const noun of Object.keys(tables) as StoredNoun[]) {
    const id = readId(noun, name);
    if (id !== null && !/^[0-9]+$/.test(name)) return { noun, id };
  }
  return null;
}

async function findThere(db: Db, named: readonly { noun: StoredNoun; id: number }[]): Promise<Set<string>> {
  const there = new Set<string>();
  for (const [noun, some] of Map.groupBy(named, ({ noun }) => noun)) {
    const table: PgTable & { readonly id: AnyPgColumn } = tables[noun];
    const is_one: SQL = among(table.id, sql`${list(some.map(({ id }) => id))}`);
    const rows = await db.sql.select({ id: table.id }).from(table).where(is_one);
    for (const { id } of rows) there.add(`${noun} ${id}`);
  }
  return there;
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
