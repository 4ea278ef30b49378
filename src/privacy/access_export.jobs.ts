// Collects a person's data: the tables in one view, then imports, events, responses and requests page by page.
import { asUtf8, readCsv } from "../core/csv.ts";
import { Fault } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { emailKey } from "../customers/customer.ts";
import { getCustomer } from "../customers/customers.sql.ts";
import { nextEvents } from "../events/events.sql.ts";
import type { FileImport } from "../imports/file_import.ts";
import { inputOf } from "../imports/file_imports.jobs.ts";
import { listPersonalFiles, nextImportedRows } from "../imports/file_imports.sql.ts";
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
  returnsByEmail,
  rows_max,
  visibleReceivers,
} from "./access_export.sql.ts";
import { accessExportView, mentionsAny, partsAbout } from "./access_export.ts";
import { addressesOf, emailsOfReturns, nextAnswers, wireIdsOf } from "./erased_records.sql.ts";
import { type RetentionPeriods, retentionPeriods } from "./erasure.ts";
import { containsEmail, mayConcernPeople, mentions, namesAny, searchTermsOf } from "./erasure_terms.ts";
import { emailsOf, findPeople, possibleReceivers, seqBefore } from "./erasures.sql.ts";
import { mappingsNaming, viewsNaming } from "./named_settings.sql.ts";
import { unexported } from "./personal_records.ts";
import { retentionIn } from "./retention_settings.sql.ts";

/** The person to export: a customer by wire id, or everyone with an email address. */
export type AccessExportSubject = { readonly customer: string } | { readonly email: string };

const page_rows = 1000;
const page_blocks = 20;

/**
 * All stored data of a person, as the API shows it. A customer is searched only at their merchant, since other
 * merchants may have the same email address. `for_operator` adds the request log and stored responses.
 * Refuses: resource_missing.
 */
export async function exportPersonalData(
  store: Store,
  person: AccessExportSubject,
  { flags, for_operator }: { readonly flags: RetentionFlags; readonly for_operator: boolean },
) {
  const merchant_id = await merchantOf(store, person);
  const theirs = merchant_id === null ? store : store.scoped({ visible: merchant_id, owner: null });
  const found = await theirs.read((db) => personOf(db, person, flags));
  const { customers, email, ids, terms, created_at, labels, kept_for } = found;
  const records = new Map(found.records);
  for (const [kind, rows] of await unlinkedRecordsOf(theirs, found))
    records.set(kind, [...(records.get(kind) ?? []), ...rows]);
  for (const { id } of records.get("returns") ?? []) ids.add(wireId("return", Number(id)));
  for (const [kind, rows] of await uploadsOf(theirs, found)) records.set(kind, rows);
  const owners = { merchant_id: merchant_id ?? store.scope.visible, of_operator: for_operator };
  records.set("saved_views", (await store.read((db) => viewsNaming(db, terms, owners))).map(exported));
  records.set("column_mappings", (await theirs.read((db) => mappingsNaming(db, terms))).map(exported));
  const events = await eventsOf(theirs, found.after, ids);
  // The operator's own webhooks may receive events of a merchant.
  const { log, receivers } = await store.read((db) =>
    deliveriesOf(
      db,
      events.map(({ id }) => String(id)),
    ),
  );
  records.set("events", events);
  records.set("delivery_log", log);
  if (for_operator) {
    records.set("stored_responses", await responsesOf(store, ids));
    records.set("request_log", await requestsOf(store, terms));
  }
  const { since } = found;
  const before = since === null ? [] : await store.read((db) => possibleReceivers(db, since, merchant_id));
  const seen = await store.read((db) => visibleReceivers(db, [...new Set([...receivers, ...before])]));
  return accessExportView({ customers, email, created_at, records, labels, receivers: seen }, rows_max, kept_for);
}

/** The merchant of the customer; null for an email address. Refuses: resource_missing. */
async function merchantOf(store: Store, person: AccessExportSubject): Promise<number | null> {
  if (!("customer" in person)) return null;
  return (await store.read((db) => getCustomer(db, person.customer))).merchant_id;
}

interface ExportedPerson {
  readonly customers: readonly number[];
  readonly email: string | null;
  /** The person's current and former email addresses, in lower case. */
  readonly emails: readonly string[];
  readonly created_at: number;
  /** The wire ids of the person's records. */
  readonly ids: Set<string>;
  /** Lower-case texts by which someone may have searched for the person. */
  readonly terms: ReadonlySet<string>;
  readonly records: ExportedRecords;
  readonly labels: readonly number[];
  /** An hour before the first customer was created (ms), since clocks differ; null without customers. */
  readonly since: number | null;
  /** The sequence number before the first event that may be about the person. */
  readonly after: number;
  readonly kept_for: RetentionPeriods;
}

async function personOf(db: Db, person: AccessExportSubject, flags: RetentionFlags): Promise<ExportedPerson> {
  const customer = "customer" in person ? await getCustomer(db, person.customer) : null;
  const email = "email" in person ? person.email : null;
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
    customers,
    email,
    emails,
    created_at: db.now,
    records,
    ids: new Set([...(await wireIdsOf(db, customers)), ...homes.map(({ id }) => wireId("address", id))]),
    terms: new Set(searchTermsOf(theirs)),
    labels: await labelsOf(db, customers),
    since,
    after: await seqBefore(db, since ?? 0),
    kept_for: retentionPeriods(await retentionIn(db, flags)),
  };
}

/**
 * Platform orders that were never imported, and returns of other customers' orders, that contain one of the addresses.
 */
async function unlinkedRecordsOf(store: Store, { emails, records }: ExportedPerson): Promise<ExportedRecords> {
  const keys = new Set(emails);
  const known = new Set(records.get("imports")?.map(({ id }) => id));
  const ids = await collect(
    0,
    page_rows,
    (after) => store.read((db) => nextImports(db, after, page_rows)),
    ({ id }) => id,
    ({ id, payload }) => (payload?.email != null && keys.has(emailKey(payload.email)) && !known.has(id) ? [id] : []),
  );
  const own = new Set(records.get("returns")?.map(({ id }) => id));
  const returns = await store.read((db) => returnsByEmail(db, emails));
  return new Map([
    ["imports", await store.read((db) => importsOf(db, ids))],
    ["returns", returns.filter(({ id }) => !own.has(id))],
  ] as const);
}

/**
 * The uploaded files of orders and customers that name the person, and their lines and results with one of the email
 * addresses. A name alone may be someone else's.
 */
async function uploadsOf(store: Store, { emails, terms }: ExportedPerson): Promise<ExportedRecords> {
  const keys = new Set(emails);
  const found = {
    uploads: [] as ExportedRow[],
    imported_files: [] as ExportedRow[],
    imported_rows: [] as ExportedRow[],
  };
  for (const file of await store.read(listPersonalFiles)) {
    const lines = await linesAbout(store, file, keys);
    const results = await collect(
      0,
      page_rows,
      (after) => store.read((db) => nextImportedRows(db, file.id, after, page_rows)),
      ({ id }) => id,
      (row) => (containsEmail(JSON.stringify(row.row), keys) ? [exported(row)] : []),
    );
    const isNamed = [file.file_name ?? "", ...file.columns].some((text) => mentions(text, terms));
    if (isNamed || lines.length + results.length > 0) found.uploads.push(exported(file));
    found.imported_files.push(...lines);
    found.imported_rows.push(...results);
  }
  return new Map(Object.entries(found) as [keyof typeof found, ExportedRow[]][]);
}

/** The lines of a file that contain one of the email addresses, each with its cells, as far as it can be read. */
async function linesAbout(store: Store, file: FileImport, keys: ReadonlySet<string>): Promise<ExportedRow[]> {
  const found: ExportedRow[] = [];
  const { bytes, charset } = inputOf(file, store);
  try {
    for await (const { line, cells, near } of readCsv(asUtf8(bytes(), charset), () => file.separator)) {
      if (found.length > rows_max) break;
      const texts = cells ?? near;
      if (texts.some((text) => containsEmail(text, keys))) found.push({ import_id: file.id, line, cells: texts });
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
  return found;
}

/** A row without the columns that exports omit. */
const exported = (row: object): ExportedRow =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !unexported.has(name)));

const eventsOf = (store: Store, first: number, ids: ReadonlySet<string>): Promise<ExportedRow[]> =>
  collect(
    first,
    page_rows,
    (after) => store.read((db) => nextEvents(db, after, page_rows)),
    ({ seq }) => seq,
    ({ id, type, body }) => (mayConcernPeople(type) && namesAny(body, ids) ? [{ id, payload: JSON.parse(body) }] : []),
  );

/** The parts of stored responses that are about the person; a list of orders contains others too. */
const responsesOf = (store: Store, ids: ReadonlySet<string>): Promise<ExportedRow[]> =>
  collect(
    "",
    page_rows,
    (after) => store.read((db) => nextAnswers(db, after, page_rows)),
    ({ key }) => key,
    ({ body }) => (namesAny(body, ids) ? partsAbout(JSON.parse(body), ids).map((answer) => ({ answer })) : []),
  );

const requestsOf = (store: Store, terms: ReadonlySet<string>): Promise<ExportedRow[]> =>
  collect(
    0,
    page_blocks,
    (after) => store.read((db) => nextBlocks(db, after, page_blocks)),
    ({ id }) => id,
    ({ lines }) =>
      lines.flatMap((line) => {
        const [, method, route, place, query] = JSON.parse(line) as string[];
        const path = place || route;
        return mentionsAny(path ?? "", query ?? "", terms) ? [{ method, path, query }] : [];
      }),
  );

/** Reads pages of `size` rows until the last one, or until more than `rows_max` results are found. */
async function collect<Row, Key, Result>(
  first: Key,
  size: number,
  pageAfter: (key: Key) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
  resultsOf: (row: Row) => readonly Result[],
): Promise<Result[]> {
  const found: Result[] = [];
  for (let [after, more] = [first, true]; more && found.length <= rows_max; ) {
    const page = await pageAfter(after);
    found.push(...page.flatMap(resultsOf));
    const last = page.at(-1);
    if (last !== undefined) after = keyOf(last);
    more = page.length === size;
  }
  return found;
}
