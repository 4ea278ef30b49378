// Misbehaviour of platforms, the same again for the same seed: slow, throttled, failed and lost requests, and
// notifications that are lost, repeated or late.
import type { Random } from "../../../src/core/random.ts";
import type { Answered, Mishap } from "../../outbound/mock_server.ts";

/** How often each happens, as a share of the requests. */
export interface RequestChaos {
  readonly delay_ms_max: number;
  /** Refused with 429 and Retry-After. */
  readonly throttled: number;
  /** Refused with an error of the platform's own. */
  readonly failed: number;
  /** Cut before the platform handles it. */
  readonly cut: number;
  /** Handled, and then cut. */
  readonly lost: number;
}

/** How often each happens, as a share of the notifications. */
export interface NotificationChaos {
  readonly lost: number;
  readonly repeated: number;
  /** Sent after the one that follows. */
  readonly late: number;
}

const throttled: Answered = { status: 429, headers: { "Retry-After": "1" }, body: { errors: "Too many requests" } };
const failed: Answered = { status: 503, body: "Service unavailable" };

/** Decides what happens to a request. */
export function mishap(random: Random, chaos: RequestChaos): Mishap {
  const delay_ms = random.integer(0, chaos.delay_ms_max);
  const { throttled: refused, failed: broken, cut, lost } = chaos;
  const which = random.weighted([refused, broken, cut, lost, Math.max(0, 1 - refused - broken - cut - lost)]);
  return { delay_ms, trouble: [throttled, failed, "cut" as const, "lose" as const][which] ?? null };
}

/** Returns notifications as they arrive. */
export function arrivals<Notification>(
  notifications: readonly Notification[],
  random: Random,
  { lost, repeated, late }: NotificationChaos,
): Notification[] {
  const sent = notifications
    .filter(() => !random.chance(lost))
    .flatMap((one) => (random.chance(repeated) ? [one, one] : [one]));
  for (let at = 1; at < sent.length; at += 1) {
    if (random.chance(late)) sent.splice(at - 1, 2, sent[at] as Notification, sent[at - 1] as Notification);
  }
  return sent;
}
