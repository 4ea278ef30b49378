// By which address the world reaches the service.
import { lookup } from "node:dns/promises";
import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { endOf } from "../../core/certificates.ts";
import { environments } from "../../core/environment.ts";
import { addressPolicy } from "../../outbound/destination.ts";
import { greetMail, mailPlace, tryMail } from "../../outbound/mail.ts";
import { unreachable } from "../../outbound/reach.ts";
import { listSubscriptions } from "../../webhooks/subscriptions/subscriptions.sql.ts";
import { subscriptionMeanings } from "../../webhooks/webhooks.transitions.ts";
import { type CheckContext, type CheckResult, ok, problem, warning } from "./check.ts";

const variable = "PACKHOUSE_BASE_URL";

/** Whether the address in links is one that others can use, and has a place in the DNS. */
export async function checkBaseUrl({ base_url, host, tls }: CheckContext): Promise<CheckResult[]> {
  if (base_url === "") {
    const advice = `Set ${variable} to the address by which buyers and carriers reach the service.`;
    return [warning("base URL", `${variable} is not set: labels have no QR code, parcels no tracking_url`, advice)];
  }
  const { hostname, protocol } = new URL(base_url);
  const name = hostname.replace(/^\[|\]$/g, "");
  const is_own = name === "localhost" || name.startsWith("127.") || name === "::1";
  const found: CheckResult[] = [];
  if (protocol === "http:" && !is_own) {
    const advice = "Put a proxy with TLS before it, or use --tls-cert: keys and passwords can be read on the way.";
    found.push(warning("base URL", `${base_url} is plain http`, advice));
  }
  if (is_own) found.push(warning("base URL", `${base_url} leads others to themselves`, `Set ${variable} anew.`));
  if (isIP(name) === 0 && !is_own) {
    const addresses = await lookup(name, { all: true }).catch(() => []);
    const shown = addresses.map(({ address }) => address).join(", ");
    const advice = `Make an entry for ${name} in the DNS, or correct ${variable}.`;
    if (addresses.length === 0) found.push(problem("DNS", `${name} has no address`, advice));
    else found.push(ok("DNS", `${name} is ${shown}`));
  }
  const everywhere = host === "0.0.0.0" || host === "::";
  if (everywhere && tls === null && protocol === "http:") {
    const advice = "Use --tls self, or listen on 127.0.0.1 behind a proxy with TLS.";
    found.push(warning("base URL", `${host} listens for all, and nothing is encrypted`, advice));
  }
  return found.length > 0 ? found : [ok("base URL", base_url)];
}

// The certificate that the service shows.

const day_ms = 86_400_000;
const soon_days = 21;

/** Whether the certificate is good for a while yet. That of one's own authority is renewed by the service itself. */
export async function checkCertificate({ tls, data, now }: CheckContext): Promise<CheckResult[]> {
  if (tls === null) return [];
  const file = tls === "self" ? join(data, "tls", "server.pem") : tls.cert;
  if (!existsSync(file)) {
    if (tls === "self") return [ok("certificate", "the first start makes it")];
    return [problem("certificate", `${file} is not there`, "Correct --tls-cert.")];
  }
  const days = Math.floor((endOf(readFileSync(file, "utf8")) - now()) / day_ms);
  const advice = tls === "self" ? "A start of the service renews it." : "Renew it, and send the service SIGHUP.";
  if (days < 0) return [problem("certificate", `${file} ended ${-days} days ago`, advice)];
  if (days < soon_days) return [warning("certificate", `${file} ends in ${days} days`, advice)];
  return [ok("certificate", `${file} is good for ${days} days`)];
}

// The mail server: whether it answers and takes the credentials. A mail is sent only where that is asked for.

const mail_timeout_ms = 12_000;

/** Whether e-mail can be handed over. */
export async function checkMail({ mail, sends_mail, now }: CheckContext): Promise<CheckResult[]> {
  if (mail === null) {
    const advice = "Set PACKHOUSE_SMTP_URL and PACKHOUSE_MAIL_TO to be told of what goes wrong.";
    return [warning("mail", "no mail server is set: notices are on the dashboard alone", advice)];
  }
  const { host, port } = await mailPlace(mail);
  const advice = "Correct PACKHOUSE_SMTP_URL, or let this machine reach that server (providers often close port 25).";
  const reason = await greetMail(mail, mail_timeout_ms);
  if (reason !== null) return [problem("mail", `${host}:${port} cannot be used: ${reason}`, advice)];
  if (!sends_mail) return [ok("mail", `${host}:${port} answers and takes the credentials`)];
  const text = "This is a test by packhouse doctor. Notices of the service arrive like this.";
  const name = `doctor-${now()}`;
  const sent = await tryMail(mail, mail.to, { subject: "A test by packhouse doctor", text, name }, mail_timeout_ms);
  if (!sent.taken) return [problem("mail", `${host}:${port} refuses a mail to ${mail.to}: ${sent.reason}`, advice)];
  return [ok("mail", `${host}:${port} took a mail to ${mail.to}`)];
}

// The receivers of webhooks: whether each has an address that may be called, and something listens there.

const receiver_timeout_ms = 5000;
const together_max = 16;
const looked_at_max = 200;

/** Whether the receiver of each active subscription can be reached from this machine. */
export async function checkReceivers({ stores, service }: CheckContext): Promise<CheckResult[]> {
  if (stores === null || service === null) return [];
  const found: CheckResult[] = [];
  let well = 0;
  for (const mode of environments) {
    const [operator, merchant] = [addressPolicy(service, mode, "operator"), addressPolicy(service, mode, "merchant")];
    const all = await stores[mode].read((db) =>
      listSubscriptions(db, { limit: looked_at_max, offset: 0, after: null }),
    );
    const active = all.filter(({ status }) => subscriptionMeanings[status].active);
    for (let at = 0; at < active.length; at += together_max) {
      const some = active.slice(at, at + together_max);
      const reasons = await Promise.all(
        some.map(({ url, merchant_id }) =>
          unreachable(url, merchant_id === null ? operator : merchant, receiver_timeout_ms),
        ),
      );
      for (const [n, reason] of reasons.entries()) {
        // Its path and what follows may hold a secret of the receiver.
        const place = new URL(some[n]?.url ?? "").origin;
        const advice = "Correct the subscription's address, or what stands between here and there.";
        if (reason === null) well += 1;
        else found.push(problem("receiver", `${mode}: ${place} cannot be reached: ${reason}`, advice));
      }
    }
  }
  if (well > 0 || found.length === 0) found.push(ok("receivers", `${well} can be reached`));
  return found;
}
