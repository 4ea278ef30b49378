import type { Actor } from "../core/actor.ts";
import { iso, isoOrNull } from "../core/clock.ts";
import { wireId } from "../core/ids.ts";
import type { Retention } from "../storage/retention.ts";
import { type ErasureStatus, type ErasureStep, isWaiting } from "./erasure.transitions.ts";
import { byHand, keptGrounds, personalKinds } from "./personal_records.ts";

const day_ms = 86_400_000;

/** One erasure of a person. */
export interface Erasure {
  readonly id: number;
  /** The merchant whose records it reaches; null for those of all. */
  readonly merchant_id: number | null;
  readonly status: ErasureStatus;
  readonly customers: readonly number[];
  /** E-mail addresses of the person, and ids of records that no longer lead to the person; null before and after. */
  readonly terms: readonly string[] | null;
  readonly email: string | null;
  readonly after_days: number | null;
  readonly next_at: number | null;
  readonly step: ErasureStep | null;
  readonly place: string;
  readonly erased: Readonly<Record<string, number>>;
  readonly receivers: readonly number[];
  readonly asked_by: Actor;
  readonly created_at: number;
  readonly finished_at: number | null;
  /** When it began to erase; null where a version before this one began. */
  readonly began_at: number | null;
}

/** Whether an erasure may be called off: it waits, and nothing says outside of the data whom it erases. */
export const mayBeCalledOff = ({ status, began_at }: Pick<Erasure, "status" | "began_at">): boolean =>
  isWaiting(status) && began_at === null;

/** For how long records are kept, as far as an erasure shows it. */
export interface RetentionPeriods {
  /** How many years commercial records have to be kept. */
  readonly commercial_years: number;
  /** How many days the audit trail is kept. */
  readonly audit_days: number;
  /** How many days it takes until the last log of before an erasure is gone. */
  readonly logs_days: number;
}

/** For how long records are kept, by the settings. */
export function keptForOf(retention: Retention): RetentionPeriods {
  const { commercial_records, audit_trail, event_payloads, delivery_log, receiver_answers } = retention;
  const { request_log, kept_answers } = retention;
  const longest = Math.max(event_payloads, delivery_log, receiver_answers, request_log, kept_answers);
  // What is old is deleted once a night.
  return { commercial_years: commercial_records, audit_days: audit_trail, logs_days: longest + 1 };
}

/** What stays of a person, on which ground and for how long. */
export function keptView({ commercial_years, audit_days }: RetentionPeriods) {
  const until = {
    commercial: `${commercial_years} years after the end of the year in which it arose`,
    retention: `${audit_days} days`,
    always: "for as long as the service keeps its books",
  };
  return keptGrounds.map(({ what, why, law, kept }) => ({ what, why, law, for: until[kept] }));
}

/** The erasure as the API shows it: what was erased, what stays and why, and what is to be done by hand. */
export function erasureView(erasure: Erasure, kept_for: RetentionPeriods, now: number) {
  const { id, merchant_id, status, customers, after_days, erased, receivers } = erasure;
  return {
    id: wireId("erasure", id),
    merchant_id: merchant_id === null ? null : wireId("merchant", merchant_id),
    status,
    customers: customers.map((customer) => wireId("customer", customer)),
    after_days,
    may_be_called_off: mayBeCalledOff(erasure),
    looks_again_at: isoOrNull(erasure.next_at),
    erased: personalKinds.map((records) => ({ records, count: erased[records] ?? 0 })).filter(({ count }) => count > 0),
    kept: keptView(kept_for),
    receivers: receivers.map((receiver) => wireId("subscription", receiver)),
    by_hand: [...byHand],
    rest_gone_by: iso((erasure.finished_at ?? now) + kept_for.logs_days * day_ms),
    created_at: iso(erasure.created_at),
    finished_at: isoOrNull(erasure.finished_at),
  };
}
