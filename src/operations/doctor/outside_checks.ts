// Checks of the network: the base URL, the certificate, the mail server, and the receivers of webhooks.

import { lookup } from "node:dns/promises";
import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { endOf } from "../../core/certificates.ts";
import { environments } from "../../core/environment.ts";
import { day_ms } from "../../core/time.ts";
import { addressPolicy } from "../../outbound/destination.ts";
import { greetMail, mailPlace, tryMail } from "../../outbound/mail.ts";
import { unreachable } from "../../outbound/reach.ts";
import { subscriptionList } from "../../webhooks/subscriptions/subscriptions.sql.ts";
import { subscriptionMeanings } from "../../webhooks/webhooks.transitions.ts";
import { type CheckContext, type CheckResult, ok, problem, warning } from "./check.ts";

const variable = "PACKHOUSE_BASE_URL";

/** Checks that others can use the base URL, and that its name resolves. */
export async function checkBaseUrl({ base_url, host, tls }: CheckContext): Promise<CheckResult[]> {
  if (base_url === "") {
    const advice = `Set ${variable} to the address at which buyers and carriers reach the service.`;
    return [
      warning("base URL", `${variable} is not set: labels have no QR code, and parcels have no tracking_url`, advice),
    ];
  }
  const { hostname, protocol } = new URL(base_url);
  const name = hostname.replace(/^\[|\]$/g, "");
  const is_own = name === "localhost" || name.startsWith("127.") || name === "::1";
  const found: CheckResult[] = [];
  if (protocol === "http:" && !is_own) {
    const advice = "Use a proxy with TLS, or --tls-cert. Keys and passwords are sent unencrypted.";
    found.push(warning("base URL", `${base_url} is unencrypted HTTP`, advice));
  }
  if (is_own)
    found.push(warning("base URL", `${base_url} works on this machine only`, `Set ${variable} to a public address.`));
  if (isIP(name) === 0 && !is_own) {
    const addresses = await lookup(name, { all: true }).catch(() => []);
    const shown = addresses.map(({ address }) => address).join(", ");
    const advice = `Add a DNS record for ${name}, or correct ${variable}.`;
    if (addresses.length === 0) found.push(problem("DNS", `${name} does not resolve`, advice));
    else found.push(ok("DNS", `${name} resolves to ${shown}`));
  }
  const everywhere = host === "0.0.0.0" || host === "::";
  if (everywhere && tls === null && protocol === "http:") {
    const advice = "Use --tls self, or listen on 127.0.0.1 behind a proxy with TLS.";
    found.push(warning("base URL", `the server listens on ${host} without encryption`, advice));
  }
  return found.length > 0 ? found : [ok("base URL", base_url)];
}

// The server's certificate.

const soon_days = 21;

/** Checks that the certificate is valid for three more weeks. The server renews one of its own authority. */
export async function checkCertificate({ tls, data, now }: CheckContext): Promise<CheckResult[]> {
  if (tls === null) return [];
  const file = tls === "self" ? join(data, "tls", "server.pem") : tls.cert;
  if (!existsSync(file)) {
    if (tls === "self") return [ok("certificate", "the first start creates it")];
    return [problem("certificate", `${file} does not exist`, "Correct --tls-cert.")];
  }
  const days = Math.floor((endOf(readFileSync(file, "utf8")) - now()) / day_ms);
  const advice = tls === "self" ? "Restart the server to renew it." : "Renew it, and send SIGHUP to the server.";
  if (days < 0) return [problem("certificate", `${file} expired ${-days} days ago`, advice)];
  if (days < soon_days) return [warning("certificate", `${file} expires in ${days} days`, advice)];
  return [ok("certificate", `${file} is valid for ${days} days`)];
}

// The mail server.

const mail_timeout_ms = 12_000;

/** Checks that the mail server accepts the credentials. Sends a test email only on request. */
export async function checkMail({ mail, sends_mail, now }: CheckContext): Promise<CheckResult[]> {
  if (mail === null) {
    const advice = "Set PACKHOUSE_SMTP_URL and PACKHOUSE_MAIL_TO to get notices by email.";
    return [warning("mail", "no mail server is configured: notices appear on the dashboard only", advice)];
  }
  const { host, port } = await mailPlace(mail);
  const advice = "Correct PACKHOUSE_SMTP_URL, or allow connections to that server (providers often block port 25).";
  const reason = await greetMail(mail, mail_timeout_ms);
  if (reason !== null) return [problem("mail", `${host}:${port} cannot be used: ${reason}`, advice)];
  if (!sends_mail) return [ok("mail", `${host}:${port} accepts the credentials`)];
  const text = "This is a test email from packhouse doctor. Notices arrive like this one.";
  const name = `doctor-${now()}`;
  const sent = await tryMail(
    mail,
    mail.to,
    { subject: "Test email from packhouse doctor", text, name },
    mail_timeout_ms,
  );
  if (!sent.taken) return [problem("mail", `${host}:${port} rejected an email to ${mail.to}: ${sent.reason}`, advice)];
  return [ok("mail", `${host}:${port} accepted an email to ${mail.to}`)];
}

// The receivers of webhooks.

const receiver_timeout_ms = 5000;
const parallel_max = 16;
const subscriptions_max = 200;

/** Checks that this machine may connect, and can connect, to the receiver of each active subscription. */
export async function checkReceivers({ stores, service }: CheckContext): Promise<CheckResult[]> {
  if (stores === null || service === null) return [];
  const found: CheckResult[] = [];
  let reachable = 0;
  for (const mode of environments) {
    const [operator, merchant] = [addressPolicy(service, mode, "operator"), addressPolicy(service, mode, "merchant")];
    const all = await stores[mode].read((db) => subscriptionList.rows(db, {}, { limit: subscriptions_max }));
    const active = all.filter(({ status }) => subscriptionMeanings[status].active);
    for (let at = 0; at < active.length; at += parallel_max) {
      const some = active.slice(at, at + parallel_max);
      const reasons = await Promise.all(
        some.map(({ url, merchant_id }) =>
          unreachable(url, merchant_id === null ? operator : merchant, receiver_timeout_ms),
        ),
      );
      for (const [n, reason] of reasons.entries()) {
        // The path and query may contain a secret.
        const place = new URL(some[n]?.url ?? "").origin;
        const advice = "Correct the subscription's URL, or the network between this machine and the receiver.";
        if (reason === null) reachable += 1;
        else found.push(problem("receiver", `${mode}: ${place} cannot be reached: ${reason}`, advice));
      }
    }
  }
  if (reachable > 0 || found.length === 0) found.push(ok("receivers", `${reachable} can be reached`));
  return found;
}
