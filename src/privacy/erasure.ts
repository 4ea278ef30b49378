import type { Actor } from "../core/actor.ts";
import { iso, isoOrNull } from "../core/clock.ts";
import { wireId } from "../core/ids.ts";
import { day_ms } from "../core/time.ts";
import type { Retention } from "../storage/retention.ts";
import { type ErasureStatus, type ErasureStep, isWaiting } from "./erasure.transitions.ts";
import { byHand, keptGrounds, personalKinds } from "./personal_records.ts";

/** An erasure of one person. */
export interface Erasure {
  readonly id: number;
  /** The merchant whose records are erased; null for all merchants. */
  readonly merchant_id: number | null;
  readonly status: ErasureStatus;
  readonly customers: readonly number[];
  /** The person's names and email addresses, and ids of records that are no longer linked. Set only while it runs. */
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
  /** When it was committed to (ms): recorded in the erasure log, or started. Null if it can still be cancelled. */
  readonly began_at: number | null;
}

/** Whether an erasure can be cancelled: it is waiting, and the erasure log outside the database does not contain it. */
export const isCancellable = ({ status, began_at }: Pick<Erasure, "status" | "began_at">): boolean =>
  isWaiting(status) && began_at === null;

/** The retention times that an erasure shows. */
export interface RetentionPeriods {
  readonly commercial_years: number;
  readonly audit_days: number;
  /** Days until the last log from before the erasure is deleted. */
  readonly logs_days: number;
}

/** Derives the retention times of an erasure from the settings. */
export function retentionPeriods(retention: Retention): RetentionPeriods {
  const { commercial_records, audit_trail, event_payloads, delivery_log, webhook_responses } = retention;
  const { request_log, stored_responses } = retention;
  const longest = Math.max(event_payloads, delivery_log, webhook_responses, request_log, stored_responses);
  // Old records are deleted once a night.
  return { commercial_years: commercial_records, audit_days: audit_trail, logs_days: longest + 1 };
}

/** The data that is kept, with its legal ground and duration. */
export function keptView({ commercial_years, audit_days }: RetentionPeriods) {
  const until = {
    commercial: `${commercial_years} years after the end of the year it was created in`,
    retention: `${audit_days} days`,
    always: "as long as the ledger exists",
  };
  return keptGrounds.map(({ data, reason, legal_basis, kept }) => ({ data, reason, legal_basis, for: until[kept] }));
}

/** The erasure as the API shows it: erased counts, kept data with its ground, and manual steps. */
export function erasureView(erasure: Erasure, kept_for: RetentionPeriods, now: number) {
  const { id, merchant_id, status, customers, after_days, erased, receivers } = erasure;
  return {
    id: wireId("erasure", id),
    merchant_id: merchant_id === null ? null : wireId("merchant", merchant_id),
    status,
    customers: customers.map((customer) => wireId("customer", customer)),
    after_days,
    can_be_cancelled: isCancellable(erasure),
    next_check_at: isoOrNull(erasure.next_at),
    erased: personalKinds.map((records) => ({ records, count: erased[records] ?? 0 })).filter(({ count }) => count > 0),
    kept: keptView(kept_for),
    receivers: receivers.map((receiver) => wireId("subscription", receiver)),
    manual_steps: [...byHand],
    fully_erased_by: iso((erasure.finished_at ?? now) + kept_for.logs_days * day_ms),
    created_at: iso(erasure.created_at),
    finished_at: isoOrNull(erasure.finished_at),
  };
}
