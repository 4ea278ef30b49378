// An e-mail queued for the mail server, and its retry schedule.
import { minute_ms } from "./time.ts";
import { type Transitions, transition } from "./transitions.ts";

/** An e-mail. `name` stays the same when it is sent again. */
export interface EmailMessage {
  readonly subject: string;
  readonly text: string;
  readonly name: string;
}

/** Delivery statuses of the e-mail about a record; `none` without a mail server. */
export const mailStatuses = ["none", "waiting", "sent", "failed"] as const;
export type MailStatus = (typeof mailStatuses)[number];

// biome-ignore format: a table is read by its columns.
const mailTransitions = {
  send:    { from: ["waiting"], to: "sent",    held: false, emits: null },
  wait:    { from: ["waiting"], to: "waiting", held: false, emits: null },
  give_up: { from: ["waiting"], to: "failed",  held: false, emits: null },
} as const satisfies Transitions<MailStatus>;

/** The statuses of e-mails that are not sent yet. */
export const unsentMails: readonly MailStatus[] = mailTransitions.send.from;

/** The delivery state of an e-mail, as its record stores it. */
export interface EmailState {
  readonly mail_status: MailStatus;
  readonly mail_attempts: number;
  readonly mail_next_at: number | null;
}

/** The initial state of an e-mail: due at once if there is a mail server. */
export function newEmailState(mails: boolean, now: number): EmailState {
  return mails
    ? { mail_status: "waiting", mail_attempts: 0, mail_next_at: now }
    : { mail_status: "none", mail_attempts: 0, mail_next_at: null };
}

/** Whether an e-mail is not sent yet. */
export const isEmailPending = ({ mail_status }: Pick<EmailState, "mail_status">): boolean => mail_status === "waiting";

/** The status of an e-mail after it is withdrawn: one that was not sent yet becomes `none`. */
export const withdrawn = ({ mail_status }: Pick<EmailState, "mail_status">): MailStatus =>
  mail_status === "waiting" ? "none" : mail_status;

/** The waits after each failed attempt. After the last one, the e-mail is given up. */
const mailWaits_ms: readonly number[] = [1, 5, 30, 120, 720].map((minutes) => minutes * minute_ms);

/** The state of an e-mail after an attempt to send it. */
export function afterEmailAttempt(
  { mail_status, mail_attempts }: EmailState,
  accepted: boolean,
  now: number,
): EmailState {
  const wait_ms = mailWaits_ms[mail_attempts];
  const action = accepted ? "send" : wait_ms === undefined ? "give_up" : "wait";
  return {
    mail_status: transition(mailTransitions, action, mail_status),
    mail_attempts: mail_attempts + 1,
    mail_next_at: accepted || wait_ms === undefined ? null : now + wait_ms,
  };
}
