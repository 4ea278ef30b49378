// E-mail through the operator's mail server.

import type { EmailMessage } from "../core/email.ts";
import { redactSecrets } from "../core/log.ts";
import type { MailSettings } from "../http/service.ts";

const connection_ms = 10_000;
const silence_ms = 20_000;
const words_max = 500;

/** A mail server's answer to an accepted mail, and the addresses that it refused. */
interface AcceptedMail {
  readonly answer: string;
  readonly refused: readonly string[];
}

/** The mail server's address; TLS from the start, or as soon as the server offers it (or always, or never). */
interface MailPlace {
  readonly host: string;
  readonly port: number;
  readonly tls: "always" | "when_offered" | "never";
}

async function transportTo(url: string) {
  // Loaded when there is a mail to send: few servers send any.
  const { createTransport } = await import("nodemailer");
  return createTransport({
    url,
    connectionTimeout: connection_ms,
    greetingTimeout: connection_ms,
    socketTimeout: silence_ms,
  });
}

/** Sends a mail to these addresses through the mail server. Rejects when the server does not accept it. */
export async function sendMail(
  settings: MailSettings,
  to: string,
  { subject, text, name }: EmailMessage,
): Promise<AcceptedMail> {
  const transport = await transportTo(settings.url);
  try {
    // A repeated mail has the same Message-ID, so that mail readers show it once.
    const messageId = `<${name}@packhouse>`;
    const { response, rejected } = await transport.sendMail({ from: settings.from, to, subject, text, messageId });
    const refused = rejected.map(String);
    return { answer: withoutSecrets(response, settings), refused };
  } finally {
    transport.close();
  }
}

/** The result of sending a mail: the server's answer, or the reason why it did not accept it. */
export type MailResult = ({ readonly taken: true } & AcceptedMail) | { readonly taken: false; readonly reason: string };

/** Sends a mail as `sendMail` does, and waits at most so long. Its messages contain no secret. */
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

/**
 * Why the mail server cannot be used; null when it greets and takes the credentials. No mail is sent. The reason holds
 * no secret.
 */
export async function greetMail(settings: MailSettings, wait_ms: number): Promise<string | null> {
  const transport = await transportTo(settings.url);
  const { promise, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(() => resolve(`no answer within ${wait_ms / 1000} seconds`), wait_ms);
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
function withoutSecrets(words: string, { url }: MailSettings): string {
  const { username = "", password = "" } = URL.parse(url) ?? {};
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const kept = [base64(`\0${user}\0${secret}`), base64(secret), base64(user), password, secret, username, user];
  const shown = kept.filter((text) => text !== "").reduce((text, one) => text.replaceAll(one, "…"), words);
  return redactSecrets(shown).replace(/\s+/g, " ").trim().slice(0, words_max);
}
