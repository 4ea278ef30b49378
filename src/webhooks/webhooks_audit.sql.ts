// Checks that no delivery is missing, by number and by event.
import { sql } from "drizzle-orm";
import { isOneOf } from "../../db/kit.ts";
import { events } from "../../db/schema/outbox.ts";
import { deliveries, subscriptions } from "../../db/schema/webhooks.ts";
import { gapsOfSubscriptions } from "../storage/installation.ts";
import { type RelatedRows, type VerifierRule, verifierOf } from "../storage/verifier.ts";
import { unsentDeliveries } from "./webhooks.transitions.ts";

const numbered = sql`(
  select ${deliveries.subscription_id} as id, count(*) as rows, max(${deliveries.sequence}) as last
  from ${deliveries} where ${deliveries.sequence} > 0 group by ${deliveries.subscription_id}
)`;

const nouns = {
  // Without its secrets and URL.
  subscription: [],
  delivery: [deliveries.id],
} as const satisfies Record<string, readonly RelatedRows[]>;

const rules: readonly VerifierRule<keyof typeof nouns>[] = [
  {
    rule: "I15 the numbers of a subscription's deliveries have no gaps except those that restores left",
    noun: "subscription",
    rows: sql`select ${subscriptions.id} as id, ${subscriptions.sequence} - coalesce(g.numbers, 0) as expected,
        coalesce(n.rows, 0) as actual
      from ${subscriptions} left join numbered as n on n.id = ${subscriptions.id}
      left join left_out as g on g.id = ${subscriptions.id}`,
  },
  {
    rule: "I15 the last number of a subscription's deliveries is the last one assigned or skipped",
    noun: "subscription",
    rows: sql`select ${subscriptions.id} as id, ${subscriptions.sequence} as expected,
        case when coalesce(g.last, 0) > coalesce(n.last, 0) then g.last else coalesce(n.last, 0) end as actual
      from ${subscriptions} left join numbered as n on n.id = ${subscriptions.id}
      left join left_out as g on g.id = ${subscriptions.id}`,
  },
  {
    rule: "a delivery belongs to an existing event",
    noun: "delivery",
    rows: sql`select ${deliveries.id} as id, 1 as expected, 0 as actual from ${deliveries}
      left join ${events} on ${events.id} = ${deliveries.event_id}
      where ${deliveries.sequence} > 0 and ${events.id} is null`,
  },
  {
    rule: "a delivery has the owner of its subscription, and a merchant receives only its own events",
    noun: "delivery",
    rows: sql`select ${deliveries.id} as id, 1 as expected,
        case when ${deliveries.merchant_id} is not distinct from ${subscriptions.merchant_id}
            and coalesce(${events.merchant_id} = ${subscriptions.merchant_id}, true) then 1 else 0 end as actual
      from ${deliveries} join ${subscriptions} on ${subscriptions.id} = ${deliveries.subscription_id}
      left join ${events} on ${events.id} = ${deliveries.event_id}`,
  },
  {
    rule: "a finished delivery is not due, and a pending one is unless a restore holds it",
    noun: "delivery",
    rows: sql`select ${deliveries.id} as id,
        case when ${isOneOf(deliveries.status, unsentDeliveries)} and coalesce(${deliveries.restored}, '') <> 'waiting'
          then 1 else 0 end as expected,
        case when ${deliveries.next_at} is null then 0 else 1 end as actual
      from ${deliveries}`,
  },
];

/** Checks deliveries against their numbers and their events. */
export const verifyDeliveries = verifierOf({ nouns, rules, shared: { numbered, left_out: gapsOfSubscriptions } });
