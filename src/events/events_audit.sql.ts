// Whether no event is missing, by the numbers that events were given.
import { sql } from "drizzle-orm";
import { events } from "../../db/schema/outbox.ts";
import { counters } from "../../db/schema/service.ts";
import { gapsOfEvents } from "../storage/installation.ts";
import { type VerifierRule, verifierOf } from "../storage/verifier.ts";
import type { EventType } from "./event_types.ts";

const given = sql`(select coalesce(max(${counters.number}), 0) from ${counters} where ${counters.name} = 'events')`;

// There is only one of this noun.
const none = sql`cast(null as bigint)`;

const checks: readonly VerifierRule<"events">[] = [
  {
    rule: "I10 the places of events have no gap but those that restores left, and each is an event's",
    noun: "events",
    rows: sql`select ${none} as id, ${given} - (select numbers from ${gapsOfEvents} as gaps) as expected,
        count(${events.position}) as actual
      from ${events}`,
  },
  {
    rule: "I10 the last place of an event is the last one given or left out",
    noun: "events",
    rows: sql`select ${none} as id, ${given} as expected,
        case when gaps.last > placed.last then gaps.last else placed.last end as actual
      from ${gapsOfEvents} as gaps
      cross join (select coalesce(max(${events.position}), 0) as last from ${events}) as placed`,
  },
];

/** Checks the places of events against each other and against the last one given. */
export const verifyEvents = verifierOf(checks, { events: async () => [] });

/**
 * The rule that there are as many events of a type as things that caused one, counted by a query. Events are counted by
 * type alone, since their payloads, which name the object, are deleted in time.
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
