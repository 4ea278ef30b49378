import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Actor, systemActor } from "../core/actor.ts";
import { assert, Fault, missing } from "../core/faults.ts";
import { readId, wireId } from "../core/ids.ts";
import { day_ms, hour_ms } from "../core/time.ts";
import { emailKey } from "../customers/customer.ts";
import { nextEvents } from "../events/events.sql.ts";
import { recordAct } from "../identity/audit_log/audit_log.sql.ts";
import { erasePersonalFiles, withdrawPersonalFiles } from "../imports/file_imports.sql.ts";
import type { Db, Tx } from "../storage/database.ts";
import { dropPayloads } from "../webhooks/deliveries/deliveries.ts";
import {
  addressesOf,
  dropAnswers,
  emailsOfReturns,
  eraseImports,
  eraseOrders,
  erasePeople,
  eraseReturnEmails,
  importsIn,
  isImportPending,
  lastEnd,
  lockPeople,
  nextAnswers,
  nextOrders,
  ordersIn,
  type Span,
  spanOfImports,
  unfinishedOf,
} from "./erased_records.sql.ts";
import { done, type ErasureStep, firstStep, isWaiting, running, stepAfter, waiting } from "./erasure.transitions.ts";
import { type Erasure, isCancellable } from "./erasure.ts";
import {
  awaitedReturns,
  emailKeysOf,
  isFinished,
  mayConcernPeople,
  namesAny,
  refusal,
  searchTermsOf,
  type Unfinished,
  unfinishedStatuses,
} from "./erasure_terms.ts";
import {
  claimErasure,
  deleteErasure,
  emailsOf,
  findErasureOf,
  findPeople,
  insertErasure,
  listUnfinished,
  lockErasure,
  pendingErasures,
  possibleReceivers,
  saveErasure,
  seqBefore,
} from "./erasures.sql.ts";
import { deleteMappings, deleteViews, mappingsNaming, viewsNaming } from "./named_settings.sql.ts";
import type { PersonalKind } from "./personal_records.ts";
import { hasNewData } from "./re_erasure.sql.ts";

/** The options of a requested erasure. */
interface ErasureRequest {
  /** The days to wait after the last open order has ended; null to refuse while one is open. */
  readonly after_days: number | null;
  readonly actor: Actor;
  /** Whether the erasure log outside the database already contains it, so that it cannot be cancelled. */
  readonly recorded?: boolean;
}

/**
 * Starts erasing a customer; the job `privacy.erase` continues. If an erasure is pending, returns it, with a shorter
 * wait if requested. If one is finished, returns it, unless personal data was added since.
 * Refuses: resource_missing, orders_open.
 */
export async function eraseCustomer(tx: Tx, id: string, asked: ErasureRequest): Promise<Erasure> {
  const customer_id = readId("customer", id) ?? 0;
  const known = await lockUnfinished(tx, ({ customers }) => customers.includes(customer_id));
  const [customer] = await lockPeople(tx, [customer_id]);
  if (customer === undefined) throw missing("customer", id);
  const hastened = known === null ? null : await hasten(tx, known, asked, [customer.id]);
  if (hastened !== null) return hastened;
  const { erased_at, email, merchant_id } = customer;
  if (erased_at !== null && !(await hasNewData(tx, [customer.id]))) {
    const done = await findErasureOf(tx, customer.id);
    if (done !== null) return done;
  }
  return begin(tx, { customers: [customer.id], email: erased_at === null ? email : null, merchant_id }, asked);
}

/**
 * Starts erasing an email address: the customers who have or had it, and imports and returns without a customer. If an
 * erasure of the address is pending, returns it, extended to the customers who have the address now. The result does
 * not reveal whether anyone has the address. Refuses: orders_open.
 */
export async function eraseEmail(tx: Tx, email: string, asked: ErasureRequest): Promise<Erasure> {
  const key = emailKey(email);
  const known = await lockUnfinished(
    tx,
    (one) => one.email !== null && emailKey(one.email) === key && one.merchant_id === tx.scope.visible,
  );
  const locked = await lockPeople(tx, await findPeople(tx, key));
  const customers = locked.map(({ id }) => id);
  const hastened = known === null ? null : await hasten(tx, known, asked, customers);
  return hastened ?? begin(tx, { customers, email, merchant_id: tx.scope.visible }, asked);
}

/**
 * Locks the newest pending erasure that matches; null if none does. As in the job, it is locked before its customers.
 */
async function lockUnfinished(tx: Tx, isWanted: (erasure: Erasure) => boolean): Promise<Erasure | null> {
  const found = (await listUnfinished(tx)).findLast(isWanted);
  return found === undefined ? null : lockErasure(tx, found.id);
}

type ErasedPerson = Pick<Erasure, "customers" | "merchant_id" | "email">;

async function begin(tx: Tx, { customers, email, merchant_id }: ErasedPerson, asked: ErasureRequest): Promise<Erasure> {
  const { after_days, actor, recorded = false } = asked;
  const unfinished = await unfinishedFor(tx, customers);
  if (after_days === null && !isFinished(unfinished)) throw refusal(unfinished);
  tx.wake("privacy.erase", tx.now);
  return insertErasure(tx, {
    customers,
    merchant_id,
    email,
    after_days,
    terms: null,
    step: null,
    place: "",
    status: waiting,
    next_at: tx.now,
    erased: {},
    receivers: [],
    asked_by: actor,
    created_at: tx.now,
    finished_at: null,
    began_at: recorded ? tx.now : null,
  });
}

/**
 * Applies a repeated request to a locked pending erasure: while it waits, it is extended to more customers and its wait
 * is shortened. Returns null if it is already running without one of the customers.
 */
async function hasten(
  tx: Tx,
  known: Erasure,
  asked: ErasureRequest,
  wanted: readonly number[],
): Promise<Erasure | null> {
  if (!isWaiting(known.status)) return wanted.every((one) => known.customers.includes(one)) ? known : null;
  const customers = [...new Set([...known.customers, ...wanted])];
  // An immediate erasure of a person without open orders does not wait.
  const at_once = asked.after_days ?? (isFinished(await unfinishedFor(tx, customers)) ? 0 : null);
  const isSooner = at_once !== null && known.after_days !== null && at_once < known.after_days;
  const erasure: Erasure = {
    ...known,
    customers,
    after_days: isSooner ? at_once : known.after_days,
    began_at: known.began_at ?? (asked.recorded ? tx.now : null),
  };
  if (isDeepStrictEqual(erasure, known)) return known;
  const woken = { ...erasure, next_at: tx.now };
  await saveErasure(tx, woken);
  tx.wake("privacy.erase", tx.now);
  return woken;
}

/** Cancels a waiting erasure. Refuses: resource_missing, invalid_state_transition. */
export async function cancelErasure(tx: Tx, id: string): Promise<void> {
  const erasure = await lockErasure(tx, readId("erasure", id) ?? 0);
  if (erasure === null) throw missing("erasure", id);
  if (!isCancellable(erasure)) {
    throw new Fault("invalid_state_transition", `${wireId("erasure", erasure.id)} has started and cannot be undone.`, {
      status: erasure.status,
    });
  }
  await deleteErasure(tx, erasure.id);
}

/** The records that still need the data of these customers. */
async function unfinishedFor(db: Db, customers: readonly number[]): Promise<Unfinished> {
  if (customers.length === 0) return { orders: [], returns: [], labels: [] };
  const { returns, labels } = await unfinishedOf(db, customers, awaitedReturns);
  return {
    orders: await ordersIn(db, customers, unfinishedStatuses),
    returns: returns.map((id) => wireId("return", id)),
    labels: labels.map((id) => wireId("label", id)),
  };
}

/** The result of one transaction of the job. */
interface ErasureProgress {
  /** The updated erasure; null if none was due. */
  readonly erasure: Erasure | null;
  /** When the next erasure is due (ms); null if none is pending. */
  readonly next_at: number | null;
}

/** An erasure that is about to continue. */
export interface DueErasure {
  readonly erasure: Erasure;
  /** The wire ids of the person's records, if the step needs them. */
  readonly ids: ReadonlySet<string>;
}

/**
 * Runs one bounded part of a due erasure. Does nothing if another server is working on it or has continued it since it
 * was read. The position is saved in the same transaction, so after a crash the next round continues from there.
 */
export async function runErasureStep(tx: Tx, due: DueErasure | null): Promise<ErasureProgress> {
  const claimed = due === null ? null : await claimErasure(tx, due.erasure.id);
  if (due === null || claimed === null || !isDeepStrictEqual(progressOf(claimed), progressOf(due.erasure))) {
    return { erasure: null, next_at: await pendingErasures.nextAt(tx) };
  }
  const erasure = isWaiting(claimed.status) ? await startIfPossible(tx, claimed) : await runStep(tx, claimed, due);
  assert(!isDeepStrictEqual(erasure, claimed), "an erasure progresses with each transaction");
  await saveErasure(tx, erasure);
  if (erasure.finished_at !== null && tx.mode === "live") await auditErasure(tx, erasure);
  return { erasure, next_at: await pendingErasures.nextAt(tx) };
}

const progressOf = ({ status, step, place }: Erasure) => [status, step, place];

const scopeOf = (tx: Tx, { merchant_id }: Erasure): Tx =>
  merchant_id === null ? tx : tx.scoped({ visible: merchant_id, owner: null });

/** Starts an erasure whose orders have ended, or schedules the next check. */
async function startIfPossible(tx: Tx, known: Erasure): Promise<Erasure> {
  const erasure = { ...known, customers: await peopleOf(scopeOf(tx, known), known) };
  const { customers, after_days } = erasure;
  await lockPeople(tx, customers);
  const due = (await lastEnd(tx, customers)) + (after_days ?? 0) * day_ms;
  if (await isNeeded(tx, erasure)) return { ...erasure, next_at: tx.now + hour_ms };
  if (after_days !== null && customers.length > 0 && due > tx.now) return { ...erasure, next_at: due };
  return { ...erasure, status: running, step: firstStep, place: "", next_at: tx.now, began_at: tx.now };
}

/** The customers of an erasure. If there were none when it was requested, those who have the address now. */
async function peopleOf(tx: Tx, { customers, email }: Erasure): Promise<readonly number[]> {
  return customers.length > 0 || email === null ? customers : findPeople(tx, emailKey(email));
}

/** Whether open records or a queued import still need the person's data. */
async function isNeeded(tx: Tx, erasure: Erasure): Promise<boolean> {
  const { customers, email } = erasure;
  if (!isFinished(await unfinishedFor(tx, customers))) return true;
  return email !== null && (await isImportPending(scopeOf(tx, erasure), emailKey(email)));
}

type StepResult = Pick<Erasure, "place"> & {
  /** Set if the erasure must wait again, since a new record needs the person's data. */
  readonly waits?: true;
  readonly began_at?: number;
  /** Whether the step is unfinished. */
  readonly more: boolean;
  readonly counts?: Partial<Record<PersonalKind, number>>;
  readonly terms?: readonly string[];
  readonly receivers?: readonly number[];
};

type StepCommand = (tx: Tx, erasure: Erasure, ids: DueErasure["ids"]) => Promise<StepResult>;

const steps: Readonly<Record<ErasureStep, StepCommand>> = {
  records: eraseRecords,
  imports: eraseUnlinkedImports,
  files: eraseImportedFiles,
  settings: eraseSettings,
  events: dropEvents,
  answers: dropStoredAnswers,
};

async function runStep(tx: Tx, erasure: Erasure, { ids }: DueErasure): Promise<Erasure> {
  const at = erasure.step ?? firstStep;
  const result = await steps[at](scopeOf(tx, erasure), erasure, ids);
  if (result.waits) return { ...erasure, status: waiting, step: null, place: "", next_at: tx.now + hour_ms };
  const { place, more, counts = {}, terms = [], receivers = [], began_at = erasure.began_at } = result;
  const erased = { ...erasure.erased };
  for (const [kind, count] of Object.entries(counts)) if (count > 0) erased[kind] = (erased[kind] ?? 0) + count;
  const known = {
    ...erasure,
    began_at,
    erased,
    terms: [...new Set([...(erasure.terms ?? []), ...terms])],
    receivers: [...new Set([...erasure.receivers, ...receivers])],
  };
  if (more) return { ...known, place, next_at: tx.now };
  const next = stepAfter(at);
  if (next !== null) return { ...known, step: next, place: "", next_at: tx.now };
  const cleared = { terms: null, email: null, step: null, place: "" };
  return { ...known, ...cleared, status: done, next_at: null, finished_at: tx.now };
}

const orders_max = 20;

/** Erases the customers and the returns that name them, then some of their orders in each transaction. */
async function eraseRecords(tx: Tx, erasure: Erasure): Promise<StepResult> {
  const { customers, place } = erasure;
  if (place === "") return eraseCustomers(tx, erasure);
  const found = await nextOrders(tx, customers, Number(place), orders_max);
  if (found.length === 0) return { place, more: false };
  const order_ids = found.map(({ id }) => id);
  const terms = [
    ...emailKeysOf([...found.map(({ customer_email }) => customer_email), ...(await emailsOfReturns(tx, order_ids))]),
    ...searchTermsOf(
      found.flatMap(({ customer_name, shipping_address: { name, phone } }) => [customer_name, name, phone]),
    ),
  ];
  return { place: String(order_ids.at(-1)), more: true, counts: await eraseOrders(tx, found), terms };
}

async function eraseCustomers(tx: Tx, erasure: Erasure): Promise<StepResult> {
  const { customers, email } = erasure;
  const people = await lockPeople(tx, customers);
  // From now on no upload that has begun stores the person again. Files are locked after customers, as imports do.
  const uploads = await withdrawPersonalFiles(tx);
  // The person may have been stored, or have ordered, since the last check.
  const isNew = (await peopleOf(tx, erasure)).length > customers.length;
  if (isNew || (await isNeeded(tx, erasure))) return { place: "", more: true, waits: true };
  const homes = await addressesOf(tx, customers);
  const emails = emailKeysOf([email, ...people.map((one) => one.email), ...(await emailsOf(tx, customers))]);
  const returns = await eraseReturnEmails(tx, emails, tx.now);
  const mark = randomBytes(6).toString("hex");
  return {
    place: "0",
    more: true,
    began_at: tx.now,
    counts: {
      ...(customers.length === 0 ? {} : await erasePeople(tx, customers, mark)),
      ...{ returns: returns.length, uploads },
    },
    // From now on nothing links these texts, addresses and returns to the person.
    terms: [
      ...emails,
      ...searchTermsOf([
        ...people.flatMap(({ first_name, last_name, phone }) => [`${first_name ?? ""} ${last_name ?? ""}`, phone]),
        ...homes.flatMap(({ name, phone }) => [name, phone]),
      ]),
      ...homes.map(({ id }) => wireId("address", id)),
      ...returns.map((id) => wireId("return", id)),
    ],
  };
}

const unscopedOf = (tx: Tx): Tx => tx.scoped({ visible: null, owner: null });

const imports_max = 200;

/** The position after searching a span of rows, which may contain more matches than one transaction handles. */
function reached(found: readonly number[], limit: number, { to, is_last }: Span): Pick<StepResult, "place" | "more"> {
  const last = found.at(-1);
  if (found.length === limit && last !== undefined) return { place: String(last), more: true };
  return { place: String(to), more: !is_last };
}

/** Erases platform orders that were never imported and contain an email address of the person. */
async function eraseUnlinkedImports(tx: Tx, { place, email, terms, began_at }: Erasure): Promise<StepResult> {
  const keys = new Set(emailKeysOf([email, ...(terms ?? [])]));
  if (keys.size === 0) return { place, more: false };
  const until = began_at ?? tx.now;
  const span = await spanOfImports(unscopedOf(tx), Number(place || 0));
  const found = await importsIn(tx, span, { limit: imports_max, until });
  const theirs = found.filter(({ payload }) => payload?.email != null && keys.has(emailKey(payload.email.trim())));
  const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);
  const imports = await eraseImports(tx, idsOf(theirs));
  return { ...reached(idsOf(found), imports_max, span), counts: { imports } };
}

const imported_rows_max = 1000;

/** Deletes the contents of the withdrawn files of orders and customers, which may name the person. */
async function eraseImportedFiles(tx: Tx, { place }: Erasure): Promise<StepResult> {
  const { rows, parts } = await erasePersonalFiles(tx, imported_rows_max);
  const counts = { imported_rows: rows, imported_files: parts };
  return { place: String(Number(place || 0) + 1), more: rows + parts > 0, counts };
}

/** Deletes saved views and column mappings that name the person. */
async function eraseSettings(tx: Tx, { place, terms, merchant_id }: Erasure): Promise<StepResult> {
  const names = new Set(terms);
  const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);
  const views = idsOf(await viewsNaming(tx, names, { merchant_id, of_operator: true }));
  await deleteViews(tx, views);
  const mappings = idsOf(await mappingsNaming(tx, names));
  await deleteMappings(tx, mappings);
  return { place, more: false, counts: { saved_views: views.length, column_mappings: mappings.length } };
}

const events_max = 500;

/** Whether JSON names a record of the person. */
const namesPerson = (json: string, { terms }: Erasure, ids: DueErasure["ids"]): boolean =>
  namesAny(json, ids) || namesAny(json, new Set(terms));

/** Drops the payloads of events about the person and receivers' responses to them. Cancels their pending deliveries. */
async function dropEvents(tx: Tx, erasure: Erasure, ids: DueErasure["ids"]): Promise<StepResult> {
  const { place, merchant_id } = erasure;
  // The operator's own webhooks may receive events of a merchant.
  const all = unscopedOf(tx);
  const since = place === "" ? await firstEventTime(tx, erasure) : null;
  const possible = since === null ? [] : await possibleReceivers(all, since, merchant_id);
  const after = place === "" ? await seqBefore(all, since ?? 0) : Number.parseInt(place, 10);
  const found = await nextEvents(all, after, events_max);
  const theirs = found.filter(({ type, body }) => mayConcernPeople(type) && namesPerson(body, erasure, ids));
  const { responses, receivers } = await dropPayloads(
    all,
    theirs.map(({ id }) => id),
  );
  return {
    place: String(found.at(-1)?.seq ?? after),
    more: found.length === events_max,
    counts: { events: theirs.length, delivery_log: responses },
    receivers: [...receivers, ...possible],
  };
}

/**
 * The time (ms) of the first event that may be about the customers: an hour before the first was created, since clocks
 * differ.
 */
async function firstEventTime(tx: Tx, { customers }: Erasure): Promise<number | null> {
  const people = await lockPeople(tx, customers);
  return people.length === 0 ? null : Math.min(...people.map(({ created_at }) => created_at)) - hour_ms;
}

const responses_max = 300;

/**
 * Whether a stored response is that of an erasure. It names customers only by id, so repeated requests still get it.
 */
const isOfErasure = (body: string): boolean => readId("erasure", String(JSON.parse(body).data?.id)) !== null;

/** Drops stored responses about the person. Encrypted ones contain a secret and no personal data. */
async function dropStoredAnswers(tx: Tx, erasure: Erasure, ids: DueErasure["ids"]): Promise<StepResult> {
  const found = await nextAnswers(tx, erasure.place, responses_max);
  const theirs = found.filter(({ body }) => namesPerson(body, erasure, ids) && !isOfErasure(body));
  await dropAnswers(
    tx,
    theirs.map(({ key }) => key),
  );
  const counts = { stored_responses: theirs.length };
  return { place: found.at(-1)?.key ?? "", more: found.length === responses_max, counts };
}

/** Records a finished erasure in the audit log, by ids only. */
function auditErasure(tx: Tx, { id, customers, asked_by }: Erasure): Promise<void> {
  const targets = [wireId("erasure", id), ...customers.map((customer) => wireId("customer", customer))];
  const facts = { customers: customers.length, asked_by: asked_by.id };
  return recordAct(tx, {
    actor: systemActor("privacy.erase"),
    mode: tx.mode,
    action: "finishErasure",
    targets: targets.slice(0, 50),
    ip: null,
    status: null,
    facts,
  });
}
