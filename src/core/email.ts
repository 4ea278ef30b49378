// An e-mail on its way to the mail server: what it is, and when it is tried again.
import { type Transitions, transition } from "./transitions.ts";

/** An e-mail; `name` is the same whenever it is sent again. */
export interface EmailMessage {
  readonly subject: string;
  readonly text: string;
  readonly name: string;
}

/** Where the e-mail about a record stands; none without a mail server. */
export const mailStatuses = ["none", "waiting", "sent", "failed"] as const;
export type MailStatus = (typeof mailStatuses)[number];

// biome-ignore format: a table is read by its columns.
const mailTransitions = {
  send:    { from: ["waiting"], to: "sent",    held: false, emits: null },
  wait:    { from: ["waiting"], to: "waiting", held: false, emits: null },
  give_up: { from: ["waiting"], to: "failed",  held: false, emits: null },
} as const satisfies Transitions<MailStatus>;

/** The statuses of e-mails that wait to be sent. */
export const unsentMails: readonly MailStatus[] = mailTransitions.send.from;

/** Where an e-mail stands, as its record keeps it. */
export interface EmailState {
  readonly mail_status: MailStatus;
  readonly mail_attempts: number;
  readonly mail_next_at: number | null;
}

/** Where an e-mail begins: at once on its way, if there is a mail server. */
export function newEmailState(mails: boolean, now: number): EmailState {
  return mails
    ? { mail_status: "waiting", mail_attempts: 0, mail_next_at: now }
    : { mail_status: "none", mail_attempts: 0, mail_next_at: null };
}

/** Whether an e-mail is still to be sent. */
export const isEmailPending = ({ mail_status }: Pick<EmailState, "mail_status">): boolean => mail_status === "waiting";

/** Where an e-mail stands that is not to be sent any more, if it was not sent before. */
export const withdrawn = ({ mail_status }: Pick<EmailState, "mail_status">): MailStatus =>
  mail_status === "waiting" ? "none" : mail_status;

const minute_ms = 60_000;

/** The waits after each time that the mail server did not take a mail; after the last it is given up. */
const mailWaits_ms: readonly number[] = [1, 5, 30, 120, 720].map((minutes) => minutes * minute_ms);

/** Where an e-mail stands after it was handed to the mail server. */
export function afterEmailAttempt({ mail_status, mail_attempts }: EmailState, taken: boolean, now: number): EmailState {
  const wait_ms = mailWaits_ms[mail_attempts];
  const action = taken ? "send" : wait_ms === undefined ? "give_up" : "wait";
  return {
    mail_status: transition(mailTransitions, action, mail_status),
    mail_attempts: mail_attempts + 1,
    mail_next_at: taken || wait_ms === undefined ? null : now + wait_ms,
  };
}
