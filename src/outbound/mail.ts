// One e-mail by the operator's mail server.
import { createTransport } from "nodemailer";
import type { MailSettings } from "../http/service.ts";
import type { Mail } from "../kit/mail.ts";

const connection_ms = 10_000;
const silence_ms = 20_000;

/** Hands a mail to the mail server, to these addresses. Rejects when the server does not take it. */
export async function sendMail({ url, from }: MailSettings, to: string, { subject, text, name }: Mail): Promise<void> {
  const transport = createTransport({
    url,
    connectionTimeout: connection_ms,
    greetingTimeout: connection_ms,
    socketTimeout: silence_ms,
  });
  try {
    // Sent again, it is the same message: readers of mail show one.
    await transport.sendMail({ from, to, subject, text, messageId: `<${name}@packhouse>` });
  } finally {
    transport.close();
  }
}
