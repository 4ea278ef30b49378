// Gathers what is known of a person: the tables in one view, then what stands in logs, some rows in each view.
import { emailKey } from "../../customers/rules.ts";
import { getCustomer } from "../../customers/store.ts";
import type { Db, Store } from "../../database/store.ts";
import type { RetentionFlags } from "../../retention/rules.ts";
import { retentionIn } from "../../retention/store.ts";
import { addressesOf, findPeople, textsOfOrders, wireIdsOf } from "../erasure/store.ts";
import type { KeptFor } from "../erasures/erasure.ts";
import { eventsBefore, nextAnswers, nextBlocks, nextEvents } from "../logs/store.ts";
import { mentions, ownTerms, redactedPath, redactedQuery, type Traces, termsOf } from "../redaction.ts";
import { disclosureView } from "./disclosure.ts";
import { deliveriesOf, labelsOf, recordsOf, rows_max, seenReceivers, type Told, type ToldRecords } from "./store.ts";

/** Who is asked for: a customer, or whoever has an e-mail address. */
export type AskedFor = { readonly customer: string } | { readonly email: string };

const events_together = 1000;
const answers_together = 1000;
const blocks_together = 20;

/**
 * All that is known of a person, as the API shows it. The log of requests and the answers kept for repeated ones are
 * the house's alone: `of_house` says whether they are told. Refuses: resource_missing.
 */
export async function disclose(
  store: Store,
  asked: AskedFor,
  { flags, of_house }: { readonly flags: RetentionFlags; readonly of_house: boolean },
) {
  const found = await store.read((db) => personOf(db, asked, flags));
  const { customers, email, traces, told_at, labels, kept_for } = found;
  const records = new Map(found.records);
  const events = await eventsOf(store, found.since, traces);
  const { log, receivers } = await store.read((db) =>
    deliveriesOf(
      db,
      events.map(({ id }) => String(id)),
    ),
  );
  records.set("events", events);
  records.set("delivery_log", log);
  if (of_house) {
    records.set("kept_answers", await answersOf(store, traces));
    records.set("request_log", await requestsOf(store, traces));
  }
  const seen = await store.read((db) => seenReceivers(db, receivers));
  return disclosureView({ customers, email, told_at, records, labels, receivers: seen }, rows_max, kept_for);
}

interface FoundPerson {
  readonly customers: readonly number[];
  readonly email: string | null;
  readonly told_at: number;
  readonly traces: Traces;
  readonly records: ToldRecords;
  readonly labels: readonly number[];
  /** The number before that of the first event that may be about the person. */
  readonly since: number;
  readonly kept_for: KeptFor;
}

async function personOf(db: Db, asked: AskedFor, flags: RetentionFlags): Promise<FoundPerson> {
  const customer = "customer" in asked ? await getCustomer(db, asked.customer) : null;
  const email = "email" in asked ? asked.email : null;
  const customers = customer === null ? await findPeople(db, emailKey(email ?? "")) : [customer.id];
  const records = await recordsOf(db, customers);
  const rows = (kind: "customers" | "orders") => (records.get(kind) ?? []) as Record<string, string | null>[];
  const order_ids = rows("orders").map(({ id }) => Number(id));
  const names = rows("customers").map(({ first_name, last_name }) => `${first_name ?? ""} ${last_name ?? ""}`);
  const homes = customers.length === 0 ? [] : await addressesOf(db, customers);
  const terms = termsOf([
    ...[email, ...names],
    ...rows("customers").flatMap((one) => [one["email"], one["phone"]]),
    ...rows("orders").flatMap((one) => [one["customer_email"], one["customer_name"]]),
    ...homes.flatMap((one) => [one.name, one.address_line1, one.phone]),
    ...(await textsOfOrders(db, order_ids)),
  ]);
  const first = Math.min(...rows("customers").map(({ created_at }) => Number(created_at)));
  const { commercial_records, audit_trail } = await retentionIn(db, flags);
  return {
    ...{ customers, email, told_at: db.now, records },
    traces: { ids: await wireIdsOf(db, customers), terms },
    labels: await labelsOf(db, customers),
    since: await eventsBefore(db, Number.isFinite(first) ? first - 3_600_000 : 0),
    kept_for: { commercial_years: commercial_records, audit_days: audit_trail },
  };
}

async function eventsOf(store: Store, since: number, { ids, terms }: Traces): Promise<Told[]> {
  const found: Told[] = [];
  const own = { ids, terms: ownTerms(terms) };
  for (let [after, more] = [since, true]; more && found.length <= rows_max; ) {
    const page = await store.read((db) => nextEvents(db, after, events_together));
    for (const { id, body } of page) if (mentions(body, own)) found.push({ id, payload: JSON.parse(body) });
    after = page.at(-1)?.seq ?? after;
    more = page.length === events_together;
  }
  return found;
}

async function answersOf(store: Store, { ids, terms }: Traces): Promise<Told[]> {
  const found: Told[] = [];
  const own = { ids, terms: ownTerms(terms) };
  for (let [after, more] = ["", true]; more && found.length <= rows_max; ) {
    const page = await store.read((db) => nextAnswers(db, after, answers_together));
    for (const { body } of page) if (mentions(body, own)) found.push({ answer: body });
    after = page.at(-1)?.key ?? after;
    more = page.length === answers_together;
  }
  return found;
}

async function requestsOf(store: Store, { terms }: Traces): Promise<Told[]> {
  const found: Told[] = [];
  for (let [after, more] = [0, true]; more && found.length <= rows_max; ) {
    const page = await store.read((db) => nextBlocks(db, after, blocks_together));
    for (const line of page.flatMap(({ lines }) => lines)) {
      const [, method, , path, query] = JSON.parse(line) as string[];
      const isNamed = redactedPath(path ?? "", terms) !== path || redactedQuery(query ?? "", terms) !== query;
      if (isNamed) found.push({ method, path, query });
    }
    after = page.at(-1)?.id ?? after;
    more = page.length === blocks_together;
  }
  return found;
}
