// Gathers what is known of a person: the tables in one view, then what stands in logs, some rows in each view.

import { wireId } from "../core/ids.ts";
import { emailKey } from "../customers/customer.ts";
import { getCustomer } from "../customers/customers.sql.ts";
import { nextEvents } from "../events/events.sql.ts";
import type { Db, Store } from "../storage/database.ts";
import type { RetentionFlags } from "../storage/retention.ts";
import {
  deliveriesOf,
  type ExportedRecords,
  type ExportedRow,
  importsOf,
  labelsOf,
  nextBlocks,
  nextImports,
  recordsOf,
  returnsAskedBy,
  rows_max,
  seenReceivers,
} from "./access_export.sql.ts";
import { accessExportView, asksFor, partsAbout } from "./access_export.ts";
import { addressesOf, emailsOfReturns, nextAnswers, wireIdsOf } from "./erased_records.sql.ts";
import { keptForOf, type RetentionPeriods } from "./erasure.ts";
import { namesAny, tellsOfPeople } from "./erasure_terms.ts";
import { emailsOf, eventsBefore, findPeople, mayHaveBeenTold } from "./erasures.sql.ts";
import { retentionIn } from "./retention_settings.sql.ts";

/** Who is asked for: a customer, or whoever has an e-mail address. */
export type AccessExportSubject = { readonly customer: string } | { readonly email: string };

const events_together = 1000;
const answers_together = 1000;
const imports_together = 1000;
const blocks_together = 20;

/**
 * All that is known of a person, as the API shows it. A customer is asked for at its merchant, whoever asks: others may
 * know the same address. The log of requests and the answers kept for repeated ones are the house's alone: `of_house`
 * says whether they are told. Refuses: resource_missing.
 */
export async function exportPersonalData(
  store: Store,
  asked: AccessExportSubject,
  { flags, of_house }: { readonly flags: RetentionFlags; readonly of_house: boolean },
) {
  const merchant_id = await merchantOf(store, asked);
  const theirs = merchant_id === null ? store : store.scoped({ visible: merchant_id, owner: null });
  const found = await theirs.read((db) => personOf(db, asked, flags));
  const { customers, email, ids, terms, told_at, labels, kept_for } = found;
  const records = new Map(found.records);
  for (const [kind, rows] of await straysOf(theirs, found)) records.set(kind, [...(records.get(kind) ?? []), ...rows]);
  for (const { id } of records.get("returns") ?? []) ids.add(wireId("return", Number(id)));
  const events = await eventsOf(theirs, found.after, ids);
  // The house may have webhooks of its own for the events of a merchant.
  const { log, receivers } = await store.read((db) =>
    deliveriesOf(
      db,
      events.map(({ id }) => String(id)),
    ),
  );
  records.set("events", events);
  records.set("delivery_log", log);
  if (of_house) {
    records.set("kept_answers", await answersOf(store, ids));
    records.set("request_log", await requestsOf(store, terms));
  }
  const { since } = found;
  const before = since === null ? [] : await store.read((db) => mayHaveBeenTold(db, since, merchant_id));
  const seen = await store.read((db) => seenReceivers(db, [...new Set([...receivers, ...before])]));
  return accessExportView({ customers, email, told_at, records, labels, receivers: seen }, rows_max, kept_for);
}

/** The merchant whose customer is asked for; null where it is an e-mail address. Refuses: resource_missing. */
async function merchantOf(store: Store, asked: AccessExportSubject): Promise<number | null> {
  if (!("customer" in asked)) return null;
  return (await store.read((db) => getCustomer(db, asked.customer))).merchant_id;
}

interface ExportedPerson {
  readonly customers: readonly number[];
  readonly email: string | null;
  /** All e-mail addresses that the person is known to have and to have had, in small letters. */
  readonly emails: readonly string[];
  readonly told_at: number;
  /** The ids of the person's records as the wire writes them. */
  readonly ids: Set<string>;
  /** What the person may have been looked for by, in small letters. */
  readonly terms: ReadonlySet<string>;
  readonly records: ExportedRecords;
  readonly labels: readonly number[];
  /** When the first of the customers was made, an hour earlier for clocks that differ; null where there is none. */
  readonly since: number | null;
  /** The number before that of the first event that may be about the person. */
  readonly after: number;
  readonly kept_for: RetentionPeriods;
}

async function personOf(db: Db, asked: AccessExportSubject, flags: RetentionFlags): Promise<ExportedPerson> {
  const customer = "customer" in asked ? await getCustomer(db, asked.customer) : null;
  const email = "email" in asked ? asked.email : null;
  const customers = customer === null ? await findPeople(db, emailKey(email ?? "")) : [customer.id];
  const records = await recordsOf(db, customers);
  const rows = (kind: "customers" | "orders") => (records.get(kind) ?? []) as Record<string, string | null>[];
  const order_ids = rows("orders").map(({ id }) => Number(id));
  const homes = customers.length === 0 ? [] : await addressesOf(db, customers);
  const emails = [...(email === null ? [] : [emailKey(email)]), ...(await emailsOf(db, customers))];
  const known = rows("customers").flatMap(({ first_name, last_name, phone, email: now }) => [
    ...[`${first_name ?? ""} ${last_name ?? ""}`, phone, now],
  ]);
  const ordered = rows("orders").flatMap(({ customer_email, customer_name }) => [customer_email, customer_name]);
  const theirs = [...emails, ...known, ...ordered, ...(await emailsOfReturns(db, order_ids))];
  const made = rows("customers").map(({ created_at }) => Number(created_at));
  const since = made.length === 0 ? null : Math.min(...made) - 3_600_000;
  return {
    ...{ customers, email, emails, told_at: db.now, records },
    ids: new Set([...(await wireIdsOf(db, customers)), ...homes.map(({ id }) => wireId("address", id))]),
    terms: new Set(theirs.flatMap((text) => (text?.trim() ? [text.trim().normalize("NFC").toLowerCase()] : []))),
    labels: await labelsOf(db, customers),
    ...{ since, after: await eventsBefore(db, since ?? 0) },
    kept_for: keptForOf(await retentionIn(db, flags)),
  };
}

/** Orders of shops that were never imported, and returns of others' orders, that name an e-mail address of a person. */
async function straysOf(store: Store, { emails, records }: ExportedPerson): Promise<ExportedRecords> {
  const keys = new Set(emails);
  const known = new Set(records.get("imports")?.map(({ id }) => id));
  const ids: number[] = [];
  for (let [after, more] = [0, true]; more && ids.length <= rows_max; ) {
    const page = await store.read((db) => nextImports(db, after, imports_together));
    for (const { id, payload } of page) {
      if (payload?.email != null && keys.has(emailKey(payload.email)) && !known.has(id)) ids.push(id);
    }
    after = page.at(-1)?.id ?? after;
    more = page.length === imports_together;
  }
  const own = new Set(records.get("returns")?.map(({ id }) => id));
  const asked = await store.read((db) => returnsAskedBy(db, emails));
  return new Map([
    ["imports", await store.read((db) => importsOf(db, ids))],
    ["returns", asked.filter(({ id }) => !own.has(id))],
  ] as const);
}

async function eventsOf(store: Store, first: number, ids: ReadonlySet<string>): Promise<ExportedRow[]> {
  const found: ExportedRow[] = [];
  for (let [after, more] = [first, true]; more && found.length <= rows_max; ) {
    const page = await store.read((db) => nextEvents(db, after, events_together));
    const theirs = page.filter(({ type, body }) => tellsOfPeople(type) && namesAny(body, ids));
    found.push(...theirs.map(({ id, body }) => ({ id, payload: JSON.parse(body) })));
    after = page.at(-1)?.seq ?? after;
    more = page.length === events_together;
  }
  return found;
}

/** What kept answers say of the person: one of many orders tells but those that are the person's. */
async function answersOf(store: Store, ids: ReadonlySet<string>): Promise<ExportedRow[]> {
  const found: ExportedRow[] = [];
  for (let [after, more] = ["", true]; more && found.length <= rows_max; ) {
    const page = await store.read((db) => nextAnswers(db, after, answers_together));
    for (const { body } of page) {
      if (namesAny(body, ids)) found.push(...partsAbout(JSON.parse(body), ids).map((answer) => ({ answer })));
    }
    after = page.at(-1)?.key ?? after;
    more = page.length === answers_together;
  }
  return found;
}

async function requestsOf(store: Store, terms: ReadonlySet<string>): Promise<ExportedRow[]> {
  const found: ExportedRow[] = [];
  for (let [after, more] = [0, true]; more && found.length <= rows_max; ) {
    const page = await store.read((db) => nextBlocks(db, after, blocks_together));
    for (const line of page.flatMap(({ lines }) => lines)) {
      const [, method, route, place, query] = JSON.parse(line) as string[];
      const path = place || route;
      if (asksFor(path ?? "", query ?? "", terms)) found.push({ method, path, query });
    }
    after = page.at(-1)?.id ?? after;
    more = page.length === blocks_together;
  }
  return found;
}
