import { takeTurn } from "../../database/lease.ts";
import type { Tx } from "../../database/store.ts";
import { dropEventBodies, forgetEventBodies } from "../../outbox/store.ts";
import type { Retention } from "../../retention/rules.ts";
import { payload_turn } from "../deliveries/delivery.ts";
import { cancelDeliveriesOf, forgetDeliveryBodies, nothingWaits } from "../deliveries/store.ts";
import { deleteAttempts, forgetResponses, forgetResponsesTo } from "../logs/store.ts";
import { deleteNotices } from "../notices/store.ts";
import { deleteRecoveries } from "../recoveries/store.ts";

const day_ms = 24 * 3_600_000;

/** For how many days each is kept. */
type KeptDays = Pick<Retention, "event_payloads" | "delivery_log" | "receiver_answers">;

/**
 * Deletes up to `limit` each of payloads (with what receivers answered to them), log entries, finished recoveries,
 * notices and receivers' answers that are older than they are kept. Deliveries that wait to be sent are kept. Answers
 * whether more may be left.
 */
export async function forgetOld(tx: Tx, kept: KeptDays, limit: number): Promise<boolean> {
  await takeTurn(tx, payload_turn);
  const moment = (days: number) => tx.now - days * day_ms;
  const before = moment(kept.delivery_log);
  const events = await forgetEventBodies(tx, moment(kept.event_payloads), limit, nothingWaits);
  // What receivers answered may repeat the event, and nothing would tell any more what it was about.
  await forgetResponsesTo(tx, events);
  const deliveries = await forgetDeliveryBodies(tx, before, limit);
  const attempts = await deleteAttempts(tx, before, limit);
  const responses = await forgetResponses(tx, moment(kept.receiver_answers), limit);
  const recoveries = await deleteRecoveries(tx, before, limit);
  const notices = await deleteNotices(tx, before, limit);
  return Math.max(events.length, deliveries, attempts, responses, recoveries, notices) === limit;
}

/** What the payloads of some events took with them. */
interface Dropped {
  /** How many entries of the delivery log lost a response. */
  readonly responses: number;
  /** The subscriptions that were sent any of the events, by id. */
  readonly receivers: readonly number[];
}

/**
 * Deletes the payloads of these events, by id, and the responses to them, and cancels their pending deliveries. The
 * events and the entries of the log stay. The response to an attempt that is under way is not recorded.
 */
export async function dropPayloads(tx: Tx, event_ids: readonly string[]): Promise<Dropped> {
  if (event_ids.length === 0) return { responses: 0, receivers: [] };
  await takeTurn(tx, payload_turn);
  await dropEventBodies(tx, event_ids);
  const receivers = await cancelDeliveriesOf(tx, event_ids);
  return { responses: await forgetResponsesTo(tx, event_ids), receivers };
}
