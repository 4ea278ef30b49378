// The mail server: whether it answers and takes the credentials. A mail is sent only where that is asked for.
import { greetMail, mailPlace, tryMail } from "../outbound/mail.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const patience_ms = 12_000;

/** Whether e-mail can be handed over. */
export async function lookAtMail({ mail, sends_mail, now }: Patient): Promise<Finding[]> {
  if (mail === null) {
    const advice = "Set PACKHOUSE_SMTP_URL and PACKHOUSE_MAIL_TO to be told of what goes wrong.";
    return [warning("mail", "no mail server is set: notices are on the dashboard alone", advice)];
  }
  const { host, port } = await mailPlace(mail);
  const advice = "Correct PACKHOUSE_SMTP_URL, or let this machine reach that server (providers often close port 25).";
  const reason = await greetMail(mail, patience_ms);
  if (reason !== null) return [problem("mail", `${host}:${port} cannot be used: ${reason}`, advice)];
  if (!sends_mail) return [ok("mail", `${host}:${port} answers and takes the credentials`)];
  const text = "This is a test by packhouse doctor. Notices of the service arrive like this.";
  const name = `doctor-${now()}`;
  const sent = await tryMail(mail, mail.to, { subject: "A test by packhouse doctor", text, name }, patience_ms);
  if (!sent.taken) return [problem("mail", `${host}:${port} refuses a mail to ${mail.to}: ${sent.reason}`, advice)];
  return [ok("mail", `${host}:${port} took a mail to ${mail.to}`)];
}
