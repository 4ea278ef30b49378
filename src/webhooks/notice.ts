import { iso, isoOrNull } from "../core/clock.ts";
import type { EmailMessage, EmailState } from "../core/email.ts";
import type { Environment } from "../core/environment.ts";
import { wireId } from "../core/ids.ts";
import { type NoticeKind, type SubscriptionStatus, subscriptionMeanings } from "./webhooks.transitions.ts";

/** A notice to the operator, mostly about a subscription. */
export interface OperatorNotice extends EmailState {
  readonly id: number;
  /** The merchant of the subscription; null for the operator. */
  readonly merchant_id: number | null;
  readonly kind: NoticeKind;
  /** Null for notices about no subscription. */
  readonly subscription_id: number | null;
  readonly message: string;
  readonly acknowledged_at: number | null;
  readonly created_at: number;
}

/** The notice as the API shows it. */
export function noticeView({ id, kind, subscription_id, message, mail_status, ...notice }: OperatorNotice) {
  return {
    id: wireId("notice", id),
    kind,
    subscription_id: subscription_id === null ? null : wireId("subscription", subscription_id),
    message,
    mail_status,
    acknowledged_at: isoOrNull(notice.acknowledged_at),
    created_at: iso(notice.created_at),
  };
}

/** The message about a subscription that is failing or was disabled; null if the operator needs none. */
export function messageOf(
  status: SubscriptionStatus,
  { name, url, reason }: { name: string; url: string; reason: string | null },
): { kind: NoticeKind; message: string } | null {
  const receiver = `${name} (${url})`;
  const kind = subscriptionMeanings[status].notice;
  if (kind === null) return null;
  if (kind === "webhook_failing") {
    return {
      kind,
      message: `The receiver of ${receiver} failed five times or more in a row. It is now tried only occasionally.`,
    };
  }
  const because = reason === "gone" ? "it returned 410 Gone" : "it accepted nothing for five days";
  const message = `${receiver} was disabled because ${because}. Events are recorded for it and can be recovered.`;
  return { kind, message };
}

/** The message about a subscription with more waiting deliveries than allowed. */
export function backlogMessage({ name, url }: { name: string; url: string }): string {
  return (
    `${name} (${url}) receives events more slowly than they occur, so the oldest pending deliveries are skipped. ` +
    "They can be recovered as long as their events are kept."
  );
}

const subjects: Readonly<Record<NoticeKind, string>> = {
  webhook_failing: "a webhook is failing",
  webhook_disabled: "a webhook was disabled",
  webhook_backlog: "a webhook is behind and misses events",
  backup_failed: "a backup failed",
  backup_late: "backups are late",
};

/** Where to find details of notices about no subscription. */
const places: Partial<Record<NoticeKind, string>> = {
  backup_failed: "See the backups in the dashboard.",
  backup_late: "See the backups in the dashboard.",
};

/** The email of a notice. */
export function mailOf(
  { id, kind, subscription_id, message, created_at }: OperatorNotice,
  mode: Environment,
): EmailMessage {
  const where = subscription_id !== null ? "See the webhook and its log in the dashboard." : places[kind];
  return {
    subject: `Packhouse (${mode}): ${subjects[kind]}`,
    text: `${message}\n\nSince ${iso(created_at)}. ${where ?? ""}\n`,
    name: `notice-${mode}-${id}-${created_at}`,
  };
}
