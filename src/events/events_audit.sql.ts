// Checks that no event is missing, by their positions.
import { sql } from "drizzle-orm";
import { events } from "../../db/schema/outbox.ts";
import { counters } from "../../db/schema/service.ts";
import { gapsOfEvents } from "../storage/installation.ts";
import { type VerifierRule, verifierOf } from "../storage/verifier.ts";
import type { EventType } from "./event_types.ts";

const assigned = sql`(select coalesce(max(${counters.number}), 0) from ${counters} where ${counters.name} = 'events')`;

// There is only one of this noun.
const none = sql`cast(null as bigint)`;

const rules: readonly VerifierRule<"events">[] = [
  {
    rule: "I10 the positions of events have no gaps except those that restores left, and each belongs to an event",
    noun: "events",
    rows: sql`select ${none} as id, ${assigned} - (select numbers from ${gapsOfEvents} as gaps) as expected,
        count(${events.position}) as actual
      from ${events}`,
  },
  {
    rule: "I10 the last position of an event is the last one assigned or skipped",
    noun: "events",
    rows: sql`select ${none} as id, ${assigned} as expected,
        case when gaps.last > placed.last then gaps.last else placed.last end as actual
      from ${gapsOfEvents} as gaps
      cross join (select coalesce(max(${events.position}), 0) as last from ${events}) as placed`,
  },
];

/** Checks the positions of events against each other and against the last assigned one. */
export const verifyEvents = verifierOf({ nouns: { events: [] }, rules });

/**
 * The rule that a query's count equals the number of events of a type. Events are counted only by type, since the
 * payloads, which name the object, are deleted after a while.
 */
export function eventCountRule(type: EventType, counted: ReturnType<typeof sql>): VerifierRule<"events"> {
  return {
    rule: `I11 there is one event ${type} for each time that it happened`,
    noun: "events",
    rows: sql`select ${none} as id, (${counted}) as expected, (
        select count(*) from ${events} where ${events.type} = ${sql.raw(`'${type}'`)}
      ) as actual`,
  };
}
