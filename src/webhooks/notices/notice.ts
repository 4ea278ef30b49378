import type { MailStatus, NoticeKind } from "../status.ts";

/** One thing that the operator is told of a subscription. */
export interface Notice {
  readonly id: number;
  readonly kind: NoticeKind;
  readonly subscription_id: number;
  readonly message: string;
  readonly mail_status: MailStatus;
  readonly mail_attempts: number;
  readonly mail_next_at: number | null;
  readonly created_at: number;
}

/** What is told of a subscription that is failing, or was disabled; null for what the operator need not know. */
export function messageOf(
  status: string,
  { name, url, reason }: { name: string; url: string; reason: string | null },
): { kind: NoticeKind; message: string } | null {
  const receiver = `${name} (${url})`;
  if (status === "failing") {
    const message = `The receiver of ${receiver} has failed five times or more; it is now tried now and then only.`;
    return { kind: "webhook_failing", message };
  }
  if (status !== "disabled") return null;
  const because = reason === "gone" ? "it answered 410 Gone" : "it has taken nothing for five days";
  const message = `${receiver} was switched off because ${because}. Events are recorded for it and can be recovered.`;
  return { kind: "webhook_disabled", message };
}
