import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Actor, systemActor } from "../core/actor.ts";
import { assert, Fault, missing } from "../core/faults.ts";
import { readId, wireId } from "../core/ids.ts";
import { emailKey } from "../customers/customer.ts";
import { nextEvents } from "../events/events.sql.ts";
import { recordAct } from "../identity/audit_log/audit_log.sql.ts";
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
  isAwaited,
  lastEnd,
  lockPeople,
  nextAnswers,
  nextOrders,
  ordersIn,
  type Span,
  spanOfImports,
  unfinishedOf,
} from "./erased_records.sql.ts";
import { type ErasureStep, ended, firstStep, isWaiting, runs, stepAfter, waits } from "./erasure.transitions.ts";
import { type Erasure, mayBeCalledOff } from "./erasure.ts";
import {
  awaitedReturns,
  emailKeysOf,
  isFinished,
  namesAny,
  refusal,
  tellsOfPeople,
  type Unfinished,
  unfinishedStatuses,
} from "./erasure_terms.ts";
import {
  claimErasure,
  deleteErasure,
  emailsOf,
  eventsBefore,
  findErasureOf,
  findPeople,
  insertErasure,
  listUnfinished,
  lockErasure,
  mayHaveBeenTold,
  nextErasure,
  saveErasure,
} from "./erasures.sql.ts";
import type { PersonalKind } from "./personal_records.ts";
import { tellsMore } from "./re_erasure.sql.ts";

const hour_ms = 3_600_000;
const day_ms = 24 * hour_ms;

/** What is asked for when a person is to be erased. */
interface ErasureTerms {
  /** For how many days after the last open order has ended it waits; null to refuse while one is open. */
  readonly after_days: number | null;
  readonly actor: Actor;
  /** Whether it is recorded beside the data already whom it erases, so that nobody may call it off. */
  readonly recorded?: boolean;
}

/**
 * Begins to erase a customer; the job `privacy.erase` goes on with it. One that is under way is returned as it is, or
 * waits for fewer days; so is one that is done, unless something was added since. Refuses: resource_missing,
 * orders_open.
 */
export async function eraseCustomer(tx: Tx, id: string, asked: ErasureTerms): Promise<Erasure> {
  const customer_id = readId("customer", id) ?? 0;
  const known = await lockUnfinished(tx, ({ customers }) => customers.includes(customer_id));
  const [customer] = await lockPeople(tx, [customer_id]);
  if (customer === undefined) throw missing("customer", id);
  const hastened = known === null ? null : await hasten(tx, known, asked, [customer.id]);
  if (hastened !== null) return hastened;
  const { erased_at, email, merchant_id } = customer;
  if (erased_at !== null && !(await tellsMore(tx, [customer.id]))) {
    const done = await findErasureOf(tx, customer.id);
    if (done !== null) return done;
  }
  return begin(tx, { customers: [customer.id], email: erased_at === null ? email : null, merchant_id }, asked);
}

/**
 * Begins to erase whoever has an e-mail address: the customers with it, and imports and returns without a customer.
 * While one is under way for the address, it is returned, and reaches whoever has the address now. Nothing is told of
 * whether anybody had it. Refuses: orders_open.
 */
export async function eraseEmail(tx: Tx, email: string, asked: ErasureTerms): Promise<Erasure> {
  const key = emailKey(email);
  const isOfIt = (one: Erasure) => one.email !== null && emailKey(one.email) === key;
  const known = await lockUnfinished(tx, (one) => isOfIt(one) && one.merchant_id === tx.scope.visible);
  const locked = await lockPeople(tx, await findPeople(tx, key));
  const customers = locked.map(({ id }) => id);
  const hastened = known === null ? null : await hasten(tx, known, asked, customers);
  return hastened ?? begin(tx, { customers, email, merchant_id: tx.scope.visible }, asked);
}

/** The last erasure that has not ended and is the wanted one, locked before its people, as by the job; or null. */
async function lockUnfinished(tx: Tx, isWanted: (erasure: Erasure) => boolean): Promise<Erasure | null> {
  const found = (await listUnfinished(tx)).findLast(isWanted);
  return found === undefined ? null : lockErasure(tx, found.id);
}

type ErasedPerson = Pick<Erasure, "customers" | "merchant_id" | "email">;

async function begin(tx: Tx, { customers, email, merchant_id }: ErasedPerson, asked: ErasureTerms): Promise<Erasure> {
  const { after_days, actor, recorded = false } = asked;
  const unfinished = await unfinishedFor(tx, customers);
  if (after_days === null && !isFinished(unfinished)) throw refusal(unfinished);
  tx.wake("privacy.erase", tx.now);
  return insertErasure(tx, {
    ...{ customers, merchant_id, email, after_days, terms: null, step: null, place: "" },
    ...{ status: waits, next_at: tx.now, erased: {}, receivers: [], asked_by: actor },
    ...{ created_at: tx.now, finished_at: null, began_at: recorded ? tx.now : null, began_after: null },
  });
}

/**
 * An erasure, locked, that is asked for again: while it waits, it reaches more customers, and waits for fewer days.
 * Null when it has begun without one of the customers.
 */
async function hasten(tx: Tx, known: Erasure, asked: ErasureTerms, wanted: readonly number[]): Promise<Erasure | null> {
  if (!isWaiting(known.status)) return wanted.every((one) => known.customers.includes(one)) ? known : null;
  const customers = [...new Set([...known.customers, ...wanted])];
  // Asked for at once where nothing is open, it does not wait any longer.
  const at_once = asked.after_days ?? (isFinished(await unfinishedFor(tx, customers)) ? 0 : null);
  const isSooner = at_once !== null && known.after_days !== null && at_once < known.after_days;
  const erasure: Erasure = {
    ...{ ...known, customers, after_days: isSooner ? at_once : known.after_days },
    began_at: known.began_at ?? (asked.recorded ? tx.now : null),
  };
  if (isDeepStrictEqual(erasure, known)) return known;
  const woken = { ...erasure, next_at: tx.now };
  await saveErasure(tx, woken);
  tx.wake("privacy.erase", tx.now);
  return woken;
}

/** Calls an erasure off that waits. Refuses: resource_missing, invalid_state_transition. */
export async function callOff(tx: Tx, id: string): Promise<void> {
  const erasure = await lockErasure(tx, readId("erasure", id) ?? 0);
  if (erasure === null) throw missing("erasure", id);
  if (!mayBeCalledOff(erasure)) {
    throw new Fault("invalid_state_transition", `${wireId("erasure", erasure.id)} has begun, and cannot be undone.`, {
      status: erasure.status,
    });
  }
  await deleteErasure(tx, erasure.id);
}

/** What still needs the data of these customers. */
async function unfinishedFor(db: Db, customers: readonly number[]): Promise<Unfinished> {
  if (customers.length === 0) return { orders: [], returns: [], labels: [] };
  const { returns, labels } = await unfinishedOf(db, customers, awaitedReturns);
  return {
    orders: await ordersIn(db, customers, unfinishedStatuses),
    returns: returns.map((id) => wireId("return", id)),
    labels: labels.map((id) => wireId("label", id)),
  };
}

/** What a piece of work on erasures came to. */
interface ErasureProgress {
  /** The erasure as it is now; null when none was due. */
  readonly erasure: Erasure | null;
  /** When the next piece is due, in milliseconds; null when nothing waits. */
  readonly next_at: number | null;
}

/** An erasure of which a piece is about to be done. */
export interface DuePiece {
  readonly erasure: Erasure;
  /** The ids of the person's records as the wire writes them, where the piece looks for them. */
  readonly ids: ReadonlySet<string>;
}

/**
 * One bounded piece of an erasure that is due; none when another server is at it, or has gone on with it since it was
 * read. A piece is done as a whole or not at all, and is not repeated: when the process ends, the next round goes on
 * behind it.
 */
export async function erasePiece(tx: Tx, due: DuePiece | null): Promise<ErasureProgress> {
  const claimed = due === null ? null : await claimErasure(tx, due.erasure.id);
  if (due === null || claimed === null || !isDeepStrictEqual(placeOf(claimed), placeOf(due.erasure))) {
    return { erasure: null, next_at: await nextErasure(tx) };
  }
  const erasure = isWaiting(claimed.status) ? await lookAgain(tx, claimed) : await step(tx, claimed, due);
  assert(!isDeepStrictEqual(erasure, claimed), "an erasure goes on with each piece");
  await saveErasure(tx, erasure);
  if (erasure.finished_at !== null && tx.mode === "live") await record(tx, erasure);
  return { erasure, next_at: await nextErasure(tx) };
}

const placeOf = ({ status, step, place }: Erasure) => [status, step, place];

const scopeOf = (tx: Tx, { merchant_id }: Erasure): Tx =>
  merchant_id === null ? tx : tx.scoped({ visible: merchant_id, owner: null });

/** Begins with an erasure whose orders have ended, or says when to look at it again. */
async function lookAgain(tx: Tx, known: Erasure): Promise<Erasure> {
  const erasure = { ...known, customers: await peopleOf(scopeOf(tx, known), known) };
  const { customers, after_days } = erasure;
  await lockPeople(tx, customers);
  const due = (await lastEnd(tx, customers)) + (after_days ?? 0) * day_ms;
  if (await isNeeded(tx, erasure)) return { ...erasure, next_at: tx.now + hour_ms };
  if (after_days !== null && customers.length > 0 && due > tx.now) return { ...erasure, next_at: due };
  return { ...erasure, status: runs, step: firstStep, place: "", next_at: tx.now, began_at: tx.now };
}

/** The customers of an erasure; where there were none when it was asked for, those who have the address since. */
async function peopleOf(tx: Tx, { customers, email }: Erasure): Promise<readonly number[]> {
  return customers.length > 0 || email === null ? customers : findPeople(tx, emailKey(email));
}

/** Whether something needs the person's data: what is open, or an order of a shop that is about to be imported. */
async function isNeeded(tx: Tx, erasure: Erasure): Promise<boolean> {
  const { customers, email } = erasure;
  if (!isFinished(await unfinishedFor(tx, customers))) return true;
  return email !== null && (await isAwaited(scopeOf(tx, erasure), emailKey(email)));
}

type ErasedPiece = Pick<Erasure, "place"> & {
  /** Whether it has to wait again, since something was made that needs the person's data. */
  readonly waits?: true;
  /** When it began to erase. */
  readonly began_at?: number;
  /** Whether more is left of the step. */
  readonly more: boolean;
  readonly counts?: Partial<Record<PersonalKind, number>>;
  readonly terms?: readonly string[];
  readonly receivers?: readonly number[];
};

type ErasurePass = (tx: Tx, erasure: Erasure, ids: DuePiece["ids"]) => Promise<ErasedPiece>;

const steps: Readonly<Record<ErasureStep, ErasurePass>> = {
  records: eraseRecords,
  imports: eraseStrays,
  events: dropEvents,
  answers: dropStoredAnswers,
  requests: async () => ({ place: "", more: false }),
};

async function step(tx: Tx, erasure: Erasure, { ids }: DuePiece): Promise<Erasure> {
  const at = erasure.step ?? firstStep;
  const piece = await steps[at](scopeOf(tx, erasure), erasure, ids);
  if (piece.waits) return { ...erasure, status: waits, step: null, place: "", next_at: tx.now + hour_ms };
  const { place, more, counts = {}, terms = [], receivers = [], began_at = erasure.began_at } = piece;
  const erased = { ...erasure.erased };
  for (const [kind, count] of Object.entries(counts)) if (count > 0) erased[kind] = (erased[kind] ?? 0) + count;
  const known = {
    ...{ ...erasure, began_at, erased },
    terms: [...new Set([...(erasure.terms ?? []), ...terms])],
    receivers: [...new Set([...erasure.receivers, ...receivers])],
  };
  if (more) return { ...known, place, next_at: tx.now };
  const next = stepAfter(at);
  if (next !== null) return { ...known, step: next, place: "", next_at: tx.now };
  const forgotten = { terms: null, email: null, step: null, place: "" };
  return { ...known, ...forgotten, status: ended, next_at: null, finished_at: tx.now };
}

const orders_together = 20;

/** The customers with all that belongs to them, and returns that name them, then their orders, some in each piece. */
async function eraseRecords(tx: Tx, erasure: Erasure): Promise<ErasedPiece> {
  const { customers, place } = erasure;
  if (place === "") return erasePersons(tx, erasure);
  const found = await nextOrders(tx, customers, Number(place), orders_together);
  if (found.length === 0) return { place, more: false };
  const order_ids = found.map(({ id }) => id);
  const terms = emailKeysOf([
    ...found.map(({ customer_email }) => customer_email),
    ...(await emailsOfReturns(tx, order_ids)),
  ]);
  return { place: String(order_ids.at(-1)), more: true, counts: await eraseOrders(tx, found), terms };
}

async function erasePersons(tx: Tx, erasure: Erasure): Promise<ErasedPiece> {
  const { customers, email } = erasure;
  const people = await lockPeople(tx, customers);
  // The person may have ordered since it was looked at.
  if (await isNeeded(tx, erasure)) return { place: "", more: true, waits: true };
  const homes = await addressesOf(tx, customers);
  const emails = emailKeysOf([email, ...people.map((one) => one.email), ...(await emailsOf(tx, customers))]);
  const returns = await eraseReturnEmails(tx, emails, tx.now);
  const mark = randomBytes(6).toString("hex");
  return {
    ...{ place: "0", more: true, began_at: tx.now },
    counts: { ...(customers.length === 0 ? {} : await erasePeople(tx, customers, mark)), returns: returns.length },
    // Nothing says any more whose these addresses and returns were.
    terms: [...emails, ...homes.map(({ id }) => wireId("address", id)), ...returns.map((id) => wireId("return", id))],
  };
}

const unscopedOf = (tx: Tx): Tx => tx.scoped({ visible: null, owner: null });

const imports_together = 200;
/** How far a piece has come that looked through a span of rows, of which it may have found too many for one piece. */
function reached(found: readonly number[], limit: number, { to, is_last }: Span): Pick<ErasedPiece, "place" | "more"> {
  const last = found.at(-1);
  if (found.length === limit && last !== undefined) return { place: String(last), more: true };
  return { place: String(to), more: !is_last };
}

/** Orders of platforms that were never imported, and name an e-mail address of the person. */
async function eraseStrays(tx: Tx, { place, email, terms, began_at }: Erasure): Promise<ErasedPiece> {
  const keys = new Set(emailKeysOf([email, ...(terms ?? [])]));
  if (keys.size === 0) return { place, more: false };
  const until = began_at ?? tx.now;
  const span = await spanOfImports(unscopedOf(tx), Number(place || 0));
  const found = await importsIn(tx, span, { limit: imports_together, until });
  const theirs = found.filter(({ payload }) => payload?.email != null && keys.has(emailKey(payload.email.trim())));
  const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);
  const imports = await eraseImports(tx, idsOf(theirs));
  return { ...reached(idsOf(found), imports_together, span), counts: { imports } };
}

const events_together = 500;

/** Whether JSON names a record of the person. */
const namesPerson = (json: string, { terms }: Erasure, ids: DuePiece["ids"]): boolean =>
  namesAny(json, ids) || namesAny(json, new Set(terms));

/** Events about a record of the person lose their payload, with the responses to them and their pending deliveries. */
async function dropEvents(tx: Tx, erasure: Erasure, ids: DuePiece["ids"]): Promise<ErasedPiece> {
  const { place, merchant_id } = erasure;
  // The house may have webhooks of its own for the events of a merchant.
  const all = unscopedOf(tx);
  const since = place === "" ? await sinceWhen(tx, erasure) : null;
  const untold = since === null ? [] : await mayHaveBeenTold(all, since, merchant_id);
  const after = place === "" ? await eventsBefore(all, since ?? 0) : Number.parseInt(place, 10);
  const found = await nextEvents(all, after, events_together);
  const theirs = found.filter(({ type, body }) => tellsOfPeople(type) && namesPerson(body, erasure, ids));
  const { responses, receivers } = await dropPayloads(
    all,
    theirs.map(({ id }) => id),
  );
  return {
    ...{ place: String(found.at(-1)?.seq ?? after), more: found.length === events_together },
    counts: { events: theirs.length, delivery_log: responses },
    receivers: [...receivers, ...untold],
  };
}

/** Events of before the first of the customers was made, an hour earlier for clocks that differ, are about others. */
async function sinceWhen(tx: Tx, { customers }: Erasure): Promise<number | null> {
  const people = await lockPeople(tx, customers);
  return people.length === 0 ? null : Math.min(...people.map(({ created_at }) => created_at)) - hour_ms;
}

const answers_together = 300;

/** Whether an answer is that of an erasure, which names customers by id alone: a repeated request still gets it. */
const isOfErasure = (body: string): boolean => readId("erasure", String(JSON.parse(body).data?.id)) !== null;

/** Answers that are kept for repeated requests. One that is sealed shows a secret and no person. */
async function dropStoredAnswers(tx: Tx, erasure: Erasure, ids: DuePiece["ids"]): Promise<ErasedPiece> {
  const found = await nextAnswers(tx, erasure.place, answers_together);
  const theirs = found.filter(({ body }) => namesPerson(body, erasure, ids) && !isOfErasure(body));
  await dropAnswers(
    tx,
    theirs.map(({ key }) => key),
  );
  const counts = { kept_answers: theirs.length };
  return { place: found.at(-1)?.key ?? "", more: found.length === answers_together, counts };
}

/** Keeps in the audit trail who was erased, by ids alone. */
function record(tx: Tx, { id, customers, asked_by }: Erasure): Promise<void> {
  const targets = [wireId("erasure", id), ...customers.map((customer) => wireId("customer", customer))];
  const facts = { customers: customers.length, asked_by: asked_by.id };
  return recordAct(tx, {
    ...{ actor: systemActor("privacy.erase"), world: tx.mode, action: "finishErasure" },
    ...{ targets: targets.slice(0, 50), ip: null, status: null, facts },
  });
}
