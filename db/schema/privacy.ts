// Erasures of personal data, and retention times.
import type { Actor } from "../../src/core/actor.ts";
import { type ErasureStatus, type ErasureStep, erasureStatuses } from "../../src/privacy/erasure.transitions.ts";
import { check, id, index, int, json, oneOf, table, text, time, where } from "../kit.ts";
import { ownerOrOperator } from "./merchants.ts";

/** Erasures of people. A finished one no longer identifies the person. */
export const erasures = table(
  "erasures",
  {
    id: id(),
    /** The merchant whose records are erased; null for all merchants. */
    merchant_id: ownerOrOperator(),
    status: text().$type<ErasureStatus>().notNull(),
    /** Ids of the erased customers. */
    customers: json<readonly number[]>().notNull(),
    /** The person's email addresses, and ids of records that are no longer linked; null when it is done. */
    terms: json<readonly string[]>(),
    /** The requested email address; null when it is done. */
    email: text(),
    /** The days to wait after the last open order has ended; null for none. */
    after_days: int(),
    /** When it continues; null when it is done. */
    next_at: time(),
    /** The current step, and the position in it. */
    step: text().$type<ErasureStep>(),
    place: text().notNull(),
    /** The number of changed records by kind. */
    erased: json<Readonly<Record<string, number>>>().notNull(),
    /** Ids of subscriptions that received, or may have received, events about the person. */
    receivers: json<readonly number[]>().notNull(),
    asked_by: json<Actor>().notNull(),
    created_at: time().notNull(),
    finished_at: time(),
    /** When it started: in later records, the email address may belong to someone else. */
    began_at: time(),
  },
  (t) => [
    index("erasures_created").on(t.created_at, t.id),
    index("erasures_due").on(t.next_at).where(where("next_at is not null")),
    oneOf("erasures", "status", erasureStatuses),
    check("erasures_finished", "(status = 'done') = (finished_at is not null)"),
    check("erasures_next", "(status = 'done') = (next_at is null)"),
    check("erasures_forgotten", "status <> 'done' or (terms is null and email is null)"),
  ],
);

/** Retention times that the operator has set, and the progress of deleting expired records. */
export const retention_settings = table("retention_settings", {
  kind: text().primaryKey(),
  /** Null for the default. */
  days: int(),
  /** Records from before this time are done. */
  swept_until: time(),
  /** The time and id of the last record that the current round examined; null if none is running. */
  round_at: time(),
  round_id: int(),
});
