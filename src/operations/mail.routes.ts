import { iso } from "../core/clock.ts";
import type { EmailMessage } from "../core/email.ts";
import { Fault } from "../core/faults.ts";
import { type RateLimit, rateCounter } from "../http/auth/rate_limits.ts";
import type { Call } from "../http/call.ts";
import { read, routes, write } from "../http/routes.ts";
import type { MailSettings, Service } from "../http/service.ts";
import { type MailResult, mailPlace, tryMail } from "../outbound/mail.ts";
import { MailView, sends, TestMail, TestMailView } from "./mail.schema.ts";

const tests: RateLimit = { per_minute: 6, burst: 6 };
const mail_timeout_ms = 20_000;

/** Routes of the email settings and of a test email. */
export const mailRoutes = (service: Service) => {
  const count = rateCounter(tests);
  return routes("Service", [
    read("/mail", "operator.manage", {
      id: "getMail",
      summary: "Get the email settings",
      description:
        "Returns the mail server and addresses in use, and which emails are sent. Environment variables set them:" +
        " PACKHOUSE_SMTP_URL, PACKHOUSE_MAIL_TO and PACKHOUSE_MAIL_FROM. User and password are never shown.",
      live_only: true,
      view: MailView,
      // Loads the transport before the database view, in which nothing else may be awaited.
      prepare: () => mailView(service),
      data: (_, { prepared }) => prepared,
    }),
    write("POST", "/mail/test", "operator.manage", {
      id: "testMail",
      summary: "Send a test email",
      description:
        "Sends an email now, and returns whether the mail server accepted it, which takes up to 20 seconds. A refusal" +
        " is `accepted: false`, not an error. At most six test emails are sent per minute; repeating it sends another.",
      refuses: ["mail_not_configured", "rate_limited"],
      live_only: true,
      body: TestMail,
      view: TestMailView,
      long: true,
      prepare: ({ call, body }) => test(call, body, service, count),
      act: async (_, { prepared }) => prepared,
    }),
  ]);
};

const addressesIn = (to: string) =>
  to
    .split(",")
    .map((address) => address.trim())
    .filter((address) => address !== "");

async function mailView({ mail }: Service): Promise<MailView> {
  const known = { sends: [...sends] };
  if (mail === null) return { configured: false, server: null, from: null, to: [], ...known };
  const { host, port, tls } = await mailPlace(mail);
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return { configured: true, server: { address, tls }, from: mail.from, to: addressesIn(mail.to), ...known };
}

/** Sends a test email outside any transaction, and returns the result. Refuses more than six a minute. */
async function test(
  call: Call,
  body: TestMail,
  { mail }: Service,
  count: ReturnType<typeof rateCounter>,
): Promise<TestMailView> {
  if (mail === null) throw notConfigured();
  const retry_after_seconds = count("", call.store.clock.now());
  if (retry_after_seconds > 0) {
    throw new Fault("rate_limited", "Too many test emails. Try again later.", { retry_after_seconds });
  }
  const to = body.to ?? mail.to;
  return testView(addressesIn(to), await send(call, mail, to));
}

function send(call: Call, mail: MailSettings, to: string): Promise<MailResult> {
  const now = call.store.clock.now();
  const letter: EmailMessage = {
    subject: "Packhouse: a test",
    text: `This is a test: email from Packhouse works.\n\nSent by ${call.actor.name} at ${iso(now)}.\n`,
    name: `test-${now}-${call.request_id}`,
  };
  return tryMail(mail, to, letter, mail_timeout_ms);
}

function testView(to: string[], handed: MailResult): TestMailView {
  if (!handed.taken) return { accepted: false, to, refused: [], response: handed.reason };
  return { accepted: true, to, refused: [...handed.refused], response: handed.answer };
}

const notConfigured = () =>
  new Fault(
    "mail_not_configured",
    "No mail server is configured. Set PACKHOUSE_SMTP_URL (smtp://user:password@host:587), PACKHOUSE_MAIL_TO" +
      " and, for another sender, PACKHOUSE_MAIL_FROM. Then restart the service.",
    { variables: ["PACKHOUSE_SMTP_URL", "PACKHOUSE_MAIL_TO", "PACKHOUSE_MAIL_FROM"] },
  );
