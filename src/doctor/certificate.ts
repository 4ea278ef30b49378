// The certificate that the service shows.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { endOf } from "../kit/certificates.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const day_ms = 86_400_000;
const soon_days = 21;

/** Whether the certificate is good for a while yet. That of one's own authority is renewed by the service itself. */
export async function lookAtCertificate({ tls, data, now }: Patient): Promise<Finding[]> {
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
