// Erasures of what is known of a person, and for how long each kind of record is kept.
import type { Actor } from "../../src/core/actor.ts";
import { type ErasureStatus, type ErasureStep, erasureStatuses } from "../../src/privacy/erasure.transitions.ts";
import { check, id, index, int, json, oneOf, table, text, time, where } from "../kit.ts";
import { ownerOrHouse } from "./merchants.ts";

/** One erasure of a person. What would tell who it was is gone when it is done. */
export const erasures = table(
  "erasures",
  {
    id: id(),
    /** The merchant whose records it reaches; null for those of all. */
    merchant_id: ownerOrHouse(),
    status: text().$type<ErasureStatus>().notNull(),
    /** The customers who are erased, by id. */
    customers: json<readonly number[]>().notNull(),
    /** E-mail addresses of the person, and ids of records that lead to the person no more, until it is done. */
    terms: json<readonly string[]>(),
    /** The e-mail address that was asked for, until it is done. */
    email: text(),
    /** For how many days after the last open order has ended it waits; null when it does not. */
    after_days: int(),
    /** When it is looked at again. Null when it is done. */
    next_at: time(),
    /** What it is at, and how far it has come in that. */
    step: text().$type<ErasureStep>(),
    place: text().notNull(),
    /** How many records of each kind it has changed. */
    erased: json<Readonly<Record<string, number>>>().notNull(),
    /** The subscriptions that were sent events of the person, by id. */
    receivers: json<readonly number[]>().notNull(),
    asked_by: json<Actor>().notNull(),
    created_at: time().notNull(),
    finished_at: time(),
    /** When it began to erase: whoever has the e-mail address in what is of later may be somebody else. */
    began_at: time(),
    /** Not used any more. */
    began_after: int(),
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

/** For how many days a kind of record is kept, where the house has said so; and how far its job has come. */
export const retention_settings = table("retention_settings", {
  kind: text().primaryKey(),
  /** Null for the default. */
  days: int(),
  /** Records of before this moment have been forgotten. */
  swept_until: time(),
  /** The last record that its round has looked at, by its moment and its id; null when none is under way. */
  round_at: time(),
  round_id: int(),
});
