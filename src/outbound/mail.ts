// Email through the operator's mail server.

import type { EmailMessage } from "../core/email.ts";
import { redactSecrets } from "../core/log.ts";
import type { MailSettings } from "../http/service.ts";

const connection_ms = 10_000;
const idle_ms = 20_000;
const characters_max = 500;

/** The mail server's response to an accepted email, and the addresses that it refused. */
interface AcceptedMail {
  readonly answer: string;
  readonly refused: readonly string[];
}

/** The mail server's address. `tls`: required, used if the server offers STARTTLS, or never used. */
interface MailPlace {
  readonly host: string;
  readonly port: number;
  readonly tls: "always" | "when_offered" | "never";
}

async function transportTo(url: string) {
  // Loaded at the first email, because few servers send any.
  const { createTransport } = await import("nodemailer");
  return createTransport({
    url,
    connectionTimeout: connection_ms,
    greetingTimeout: connection_ms,
    socketTimeout: idle_ms,
  });
}

/** Sends an email. `to` is a comma-separated list of addresses. Rejects when the server does not accept it. */
export async function sendMail(
  settings: MailSettings,
  to: string,
  { subject, text, name }: EmailMessage,
): Promise<AcceptedMail> {
  const transport = await transportTo(settings.url);
  try {
    // A repeated email has the same Message-ID, so that mail readers show it once.
    const messageId = `<${name}@packhouse>`;
    const { response, rejected } = await transport.sendMail({ from: settings.from, to, subject, text, messageId });
    const refused = rejected.map(String);
    return { answer: withoutSecrets(response, settings), refused };
  } finally {
    transport.close();
  }
}

/** The result of sending an email: the server's response, or the reason why it did not accept it. */
export type MailResult = ({ readonly taken: true } & AcceptedMail) | { readonly taken: false; readonly reason: string };

/** Sends an email as `sendMail` does, but waits at most `wait_ms` and never rejects. Messages contain no secret. */
export async function tryMail(
  settings: MailSettings,
  to: string,
  mail: EmailMessage,
  wait_ms: number,
): Promise<MailResult> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = new Error(`the mail server did not answer within ${wait_ms / 1000} seconds`);
  const timer = setTimeout(() => reject(late), wait_ms);
  try {
    return { taken: true, ...(await Promise.race([sendMail(settings, to, mail), promise])) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { taken: false, reason: withoutSecrets(reason, settings) };
  } finally {
    clearTimeout(timer);
  }
}

/** Signs in at the mail server without sending an email. Returns null, or the reason for a failure without secrets. */
export async function greetMail(settings: MailSettings, wait_ms: number): Promise<string | null> {
  const transport = await transportTo(settings.url);
  const { promise, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(() => resolve(`no response within ${wait_ms / 1000} seconds`), wait_ms);
  const greeted = transport.verify().then(
    () => null,
    (error: unknown) => withoutSecrets(error instanceof Error ? error.message : String(error), settings),
  );
  return await Promise.race([greeted, promise]).finally(() => {
    clearTimeout(timer);
    transport.close();
  });
}

/** The mail server's host and port, as the transport itself reads the settings. */
export async function mailPlace({ url }: MailSettings): Promise<MailPlace> {
  const transport = await transportTo(url);
  const { host = "localhost", port, secure = false, requireTLS = false, ignoreTLS = false } = transport.options;
  transport.close();
  const tls = secure || requireTLS ? "always" : ignoreTLS ? "never" : "when_offered";
  return { host, port: Number(port ?? (secure ? 465 : 587)), tls };
}

/** A mail server's message without the credentials, in case it repeats them. */
function withoutSecrets(message: string, { url }: MailSettings): string {
  const { username = "", password = "" } = URL.parse(url) ?? {};
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const secrets = [base64(`\0${user}\0${secret}`), base64(secret), base64(user), password, secret, username, user];
  const shown = secrets.filter((text) => text !== "").reduce((text, it) => text.replaceAll(it, "…"), message);
  return redactSecrets(shown).replace(/\s+/g, " ").trim().slice(0, characters_max);
}
