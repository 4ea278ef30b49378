import { isDeepStrictEqual } from "node:util";
import { recordAct } from "../../audit/commands.ts";
import { emailKey } from "../../customers/rules.ts";
import type { Db, Tx } from "../../database/store.ts";
import { type Actor, system } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import { missing } from "../../kit/fault.ts";
import { readId, wireId } from "../../kit/ids.ts";
import { actorOf, changedLine } from "../../operations/requests/request.ts";
import {
  eventsBefore,
  forgetAnswersTo,
  keysOf,
  mayHaveBeenTold,
  nextAnswers,
  nextBlocks,
  nextEvents,
  reachesAnswersOf,
  saveAnswer,
  saveBlock,
  saveEvent,
  sendingUntil,
} from "../logs/store.ts";
import { emailsOf, findPeople } from "../people/store.ts";
import type { PersonalKind } from "../records.ts";
import {
  idsAmong,
  mentions,
  ownTerms,
  redactedJson,
  redactedPath,
  redactedQuery,
  type Traces,
  termsOf,
} from "../redaction.ts";
import { type ErasureStep, ended, firstStep, isWaiting, lastStep, runs, stepAfter, waits } from "../status.ts";
import type { Erasure } from "./erasure.ts";
import { awaitedReturns, isFinished, refusal, type Unfinished, unfinishedStatuses } from "./rules.ts";
import {
  addressesOf,
  claimErasure,
  eraseImports,
  eraseOrders,
  erasePeople,
  eraseReturnEmails,
  findErasuresOf,
  insertErasure,
  lastEnd,
  lockPeople,
  nextErasure,
  nextImports,
  nextOrders,
  ordersIn,
  saveErasure,
  textsOfOrders,
  unfinishedOf,
  wireIdsOf,
} from "./store.ts";

const hour_ms = 3_600_000;
const day_ms = 24 * hour_ms;

/** What is asked for when a person is to be erased. */
interface Asked {
  /** For how many days after the last open order has ended it waits; null to refuse while one is open. */
  readonly after_days: number | null;
  readonly actor: Actor;
}

/**
 * Begins to erase a customer; the job `privacy.erase` goes on with it. One that was erased, or is about to be, is
 * answered as it is. Refuses: resource_missing, orders_open.
 */
export async function eraseCustomer(tx: Tx, id: string, asked: Asked): Promise<Erasure> {
  const [customer] = await lockPeople(tx, [readId("customer", id) ?? 0]);
  if (customer === undefined) throw missing("customer", id);
  const [known] = await findErasuresOf(tx, [customer.id]);
  if (known !== undefined) return known;
  return begin(tx, { customers: [customer.id], email: customer.email, merchant_id: customer.merchant_id }, asked);
}

/**
 * Begins to erase whoever has an e-mail address: the customers with it, and what stands in imports, returns and logs
 * without a customer. Nothing is answered of whether anybody had it. Refuses: orders_open.
 */
export async function eraseEmail(tx: Tx, email: string, asked: Asked): Promise<Erasure> {
  const found = await findPeople(tx, emailKey(email));
  const locked = await lockPeople(tx, found);
  return begin(tx, { customers: locked.map(({ id }) => id), email, merchant_id: tx.scope.sees }, asked);
}

type Person = Pick<Erasure, "customers" | "merchant_id"> & { readonly email: string };

async function begin(tx: Tx, { customers, email, merchant_id }: Person, asked: Asked): Promise<Erasure> {
  const { after_days, actor } = asked;
  const unfinished = await unfinishedFor(tx, customers);
  if (after_days === null && !isFinished(unfinished)) throw refusal(unfinished);
  tx.wake("privacy.erase", tx.now);
  return insertErasure(tx, {
    ...{ customers, merchant_id, email, after_days, terms: null, step: null, place: "" },
    ...{ status: waits, next_at: tx.now, erased: {}, receivers: [], asked_by: actor },
    ...{ created_at: tx.now, finished_at: null },
  });
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
interface Progress {
  /** The erasure as it is now; null when none was due. */
  readonly erasure: Erasure | null;
  /** When the next piece is due, in milliseconds; null when nothing waits. */
  readonly next_at: number | null;
}

/** An erasure of which a piece is about to be done. */
export interface DuePiece {
  readonly erasure: Erasure;
  /** The users of the merchant whose records it reaches; the test world does not know them. */
  readonly users: readonly string[];
  /** How long other servers may hold on to lines of the log of requests, in milliseconds. */
  readonly settles_ms: number;
}

/**
 * One bounded piece of an erasure that is due; none when another server is at it, or has gone on with it since it was
 * read. A piece is done as a whole or not at all, and is not repeated: when the process ends, the next round goes on
 * behind it.
 */
export async function erasePiece(tx: Tx, due: DuePiece | null): Promise<Progress> {
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

/** Begins with an erasure whose orders have ended, or says when to look at it again. */
async function lookAgain(tx: Tx, erasure: Erasure): Promise<Erasure> {
  const { customers, after_days } = erasure;
  await lockPeople(tx, customers);
  const due = (await lastEnd(tx, customers)) + (after_days ?? 0) * day_ms;
  if (!isFinished(await unfinishedFor(tx, customers))) return { ...erasure, next_at: tx.now + hour_ms };
  if (after_days !== null && customers.length > 0 && due > tx.now) return { ...erasure, next_at: due };
  return { ...erasure, status: runs, step: firstStep, place: "", next_at: tx.now };
}

type Piece = Pick<Erasure, "place"> & {
  /** Whether more is left of the step. */
  readonly more: boolean;
  readonly counts?: Partial<Record<PersonalKind, number>>;
  readonly terms?: readonly string[];
  readonly receivers?: readonly number[];
  /** When the next piece is due; at once where nothing is said. */
  readonly next_at?: number;
};

type Step = (tx: Tx, erasure: Erasure, users: readonly string[]) => Promise<Piece>;

const steps: Readonly<Record<ErasureStep, Step>> = {
  records: eraseRecords,
  imports: eraseStrays,
  events: redactEvents,
  answers: redactAnswers,
  requests: redactRequests,
};

async function step(tx: Tx, erasure: Erasure, { users, settles_ms }: DuePiece): Promise<Erasure> {
  const at = erasure.step ?? firstStep;
  const { merchant_id } = erasure;
  const seen = merchant_id === null ? tx : tx.scoped({ sees: merchant_id, makes: null });
  const { place, more, counts = {}, terms = [], receivers = [], ...piece } = await steps[at](seen, erasure, users);
  const erased = { ...erasure.erased };
  for (const [kind, count] of Object.entries(counts)) if (count > 0) erased[kind] = (erased[kind] ?? 0) + count;
  const known = {
    ...erasure,
    erased,
    terms: termsOf([...(erasure.terms ?? []), ...terms]),
    receivers: [...new Set([...erasure.receivers, ...receivers])],
  };
  if (more) return { ...known, place, next_at: piece.next_at ?? tx.now };
  const next = stepAfter(at);
  const next_at = tx.now + (next === lastStep ? settles_ms : 0);
  if (next !== null) return { ...known, step: next, place: "", next_at };
  const forgotten = { terms: null, email: null, step: null, place: "" };
  return { ...known, ...forgotten, status: ended, next_at: null, finished_at: tx.now };
}

const orders_together = 20;

/** The customers with all that belongs to them, and returns that name them, then their orders, some in each piece. */
async function eraseRecords(tx: Tx, { customers, place, email }: Erasure): Promise<Piece> {
  if (place === "") {
    const people = await lockPeople(tx, customers);
    const homes = await addressesOf(tx, customers);
    const emails = [...(email === null ? [] : [emailKey(email)]), ...(await emailsOf(tx, customers))];
    const counts = {
      ...(customers.length === 0 ? {} : await erasePeople(tx, customers)),
      returns: await eraseReturnEmails(tx, emails),
    };
    return {
      place: "0",
      more: true,
      counts,
      terms: [
        ...emails,
        ...people.flatMap(textsOfPerson),
        ...homes.flatMap(textsOfPlace),
        ...homes.map(idOfPlace),
      ].filter((text) => text !== null),
    };
  }
  const found = await nextOrders(tx, customers, Number(place), orders_together);
  if (found.length === 0) return { place, more: false };
  const texts = await textsOfOrders(
    tx,
    found.map(({ id }) => id),
  );
  const terms = found.flatMap((one) => [one.customer_email, one.customer_name, ...textsOfPlace(one.shipping_address)]);
  const counts = await eraseOrders(tx, found);
  return {
    place: String(found.at(-1)?.id),
    more: true,
    counts,
    terms: [...terms, ...texts].filter((text) => text !== null),
  };
}

const textsOfPerson = (one: {
  email: string;
  first_name: string | null;
  last_name: string | null;
  phone: string | null;
}) => [
  ...[one.email, one.phone],
  [one.first_name, one.last_name].filter((part) => part !== null && part !== "").join(" "),
];

const textsOfPlace = (one: {
  name: string;
  address_line1: string;
  address_line2: string | null;
  phone?: string | null;
}) => [...[one.name, one.address_line1, one.address_line2, one.phone ?? null]];

/** The address is deleted, and found in kept answers by its id alone. */
const idOfPlace = ({ id }: { id: number }) => wireId("address", id);

const imports_together = 200;

/** Orders of platforms that were never imported, and name an e-mail address of the person. */
async function eraseStrays(tx: Tx, { place, email, terms }: Erasure): Promise<Piece> {
  const keys = new Set([email ?? "", ...ownTerms(terms ?? [])].map(emailKey));
  const found = await nextImports(tx, Number(place || 0), imports_together);
  const theirs = found
    .filter(({ payload }) => payload?.email != null && keys.has(emailKey(payload.email)))
    .map(({ id }) => id);
  const imports = theirs.length === 0 ? 0 : await eraseImports(tx, theirs);
  const last = found.at(-1)?.id ?? 0;
  return { place: String(last), more: found.length === imports_together, counts: { imports } };
}

const events_together = 300;

async function tracesOf(tx: Tx, { customers, terms }: Erasure): Promise<Traces> {
  return { ids: await wireIdsOf(tx, customers), terms: terms ?? [] };
}

/** Payloads of events that name a record of the person or the e-mail address. */
async function redactEvents(tx: Tx, erasure: Erasure): Promise<Piece> {
  const traces = await tracesOf(tx, erasure);
  const after = erasure.place === "" ? await firstEvent(tx, erasure) : Number.parseInt(erasure.place, 10);
  const found = await nextEvents(tx, after, events_together);
  const named = found.filter(({ body }) => mentions(body, { ids: traces.ids, terms: ownTerms(traces.terms) }));
  let events = 0;
  for (const { seq, body, previous } of named) {
    const left = { body: redactedJson(body, traces), previous: previous && withoutPrevious(previous, traces) };
    if (left.body === body && left.previous === previous) continue;
    await saveEvent(tx, seq, left.body, left.previous);
    events += 1;
  }
  // The house may have webhooks of its own for the events of a merchant.
  const all = tx.scoped({ sees: null, makes: null });
  const ids = named.map(({ id }) => id);
  const { forgotten, receivers } = await forgetAnswersTo(all, ids);
  const untold = erasure.place === "" ? await toldBefore(all, erasure) : [];
  const done = { counts: { events, delivery_log: forgotten }, receivers: [...receivers, ...untold] };
  // What is being sent this moment is still answered: those answers are forgotten when the same events are met again.
  const sent_at = erasure.place.endsWith(met_again) ? null : await sendingUntil(all, ids);
  if (sent_at !== null) return { ...done, place: `${after}${met_again}`, more: true, next_at: sent_at + noted_ms };
  return { ...done, place: String(found.at(-1)?.seq ?? after), more: found.length === events_together };
}

// Behind the number of an event in the place of an erasure: the events that follow have been changed already.
const met_again = " again";
// An attempt that has ended is noted together with others.
const noted_ms = 1000;

/** Old values stand beside no id, so that all of them are taken for the person's. */
function withoutPrevious(previous: string, { terms }: Traces): string {
  const own = "cus_0";
  const marked = JSON.stringify({ own, previous: JSON.parse(previous) });
  const left = JSON.parse(redactedJson(marked, { ids: new Set([own]), terms })) as { previous: unknown };
  return JSON.stringify(left.previous);
}

/** Events of before the first of the customers was made are about others. */
async function firstEvent(tx: Tx, erasure: Erasure): Promise<number> {
  return eventsBefore(tx, (await sinceWhen(tx, erasure)) ?? 0);
}

async function sinceWhen(tx: Tx, { customers }: Erasure): Promise<number | null> {
  const people = await lockPeople(tx, customers);
  return people.length === 0 ? null : Math.min(...people.map(({ created_at }) => created_at)) - hour_ms;
}

/** The webhooks that may have been sent events of the customers which are forgotten. */
async function toldBefore(tx: Tx, erasure: Erasure): Promise<number[]> {
  const since = await sinceWhen(tx, erasure);
  return since === null ? [] : mayHaveBeenTold(tx, since, erasure.merchant_id);
}

const answers_together = 300;

/** Answers that are kept for repeated requests. Those that are sealed show a secret and no person. */
async function redactAnswers(tx: Tx, erasure: Erasure): Promise<Piece> {
  const traces = await tracesOf(tx, erasure);
  const found = await nextAnswers(tx, erasure.place, answers_together);
  const isReached = reachesAnswersOf(erasure.merchant_id);
  const terms = ownTerms(traces.terms);
  const named = found.filter(({ key, body }) =>
    mentions(body, { ids: traces.ids, terms: isReached(key) ? terms : idsAmong(terms) }),
  );
  for (const { key, body } of named) await saveAnswer(tx, key, redactedJson(body, traces));
  const counts = { kept_answers: named.length };
  return { place: found.at(-1)?.key ?? "", more: found.length === answers_together, counts };
}

const blocks_together = 10;

/**
 * Paths and parameters in the log of requests, in which somebody may have looked for the person. Where a merchant has
 * asked, what the house and other merchants asked for stays as it was.
 */
async function redactRequests(tx: Tx, erasure: Erasure, users: readonly string[]): Promise<Piece> {
  const { place, merchant_id, asked_by } = erasure;
  const terms = erasure.terms ?? [];
  const own = new Set(merchant_id === null ? [] : [...users, ...(await keysOf(tx, merchant_id))]);
  const isReached = (line: string) => !own.has(asked_by.id) || own.has(actorOf(line) ?? "");
  const change = {
    path: (text: string) => redactedPath(text, terms),
    query: (text: string) => redactedQuery(text, terms),
  };
  const found = await nextBlocks(tx, Number(place || 0), blocks_together);
  let request_log = 0;
  for (const { id, lines } of found) {
    const left = lines.map((line) => (isReached(line) ? changedLine(line, change) : line));
    const changed = left.filter((line, at) => line !== lines[at]).length;
    if (changed > 0) await saveBlock(tx, id, left);
    request_log += changed;
  }
  return { place: String(found.at(-1)?.id ?? 0), more: found.length === blocks_together, counts: { request_log } };
}

/** Keeps in the audit trail who was erased, by ids alone. */
function record(tx: Tx, { id, customers, asked_by }: Erasure): Promise<void> {
  const targets = [wireId("erasure", id), ...customers.map((customer) => wireId("customer", customer))];
  const facts = { customers: customers.length, asked_by: asked_by.id };
  return recordAct(tx, {
    ...{ actor: system("privacy.erase"), world: tx.mode, action: "finishErasure" },
    ...{ targets: targets.slice(0, 50), ip: null, status: null, facts },
  });
}
