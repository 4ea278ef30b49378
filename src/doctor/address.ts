// By which address the world reaches the service.
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { type Finding, ok, problem, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const variable = "PACKHOUSE_BASE_URL";

/** Whether the address in links is one that others can use, and has a place in the DNS. */
export async function lookAtAddress({ base_url, host, tls }: Patient): Promise<Finding[]> {
  if (base_url === "") {
    const advice = `Set ${variable} to the address by which buyers and carriers reach the service.`;
    return [warning("base URL", `${variable} is not set: labels have no QR code, parcels no tracking_url`, advice)];
  }
  const { hostname, protocol } = new URL(base_url);
  const name = hostname.replace(/^\[|\]$/g, "");
  const is_own = name === "localhost" || name.startsWith("127.") || name === "::1";
  const found: Finding[] = [];
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
