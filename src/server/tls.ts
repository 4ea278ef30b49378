// Where a service that listens can be opened.

import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { hostname, type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { join } from "node:path";
import {
  type CertificateAuthority,
  endOf,
  fingerprintOf,
  identityProblem,
  isIssuedBy,
  isPermitted,
  isUsableCertificate,
  localNames,
  makeAuthority,
  makeCertificate,
  type TlsCertificate,
} from "../core/certificates.ts";
import { UsageError } from "../core/config.ts";
import { makeFolder, writeAtomically } from "../core/files.ts";
import type { Log } from "../core/log.ts";
import { gauge } from "../core/metrics.ts";

type NetworkInterfaces = NodeJS.Dict<Pick<NetworkInterfaceInfo, "address" | "family" | "internal">[]>;

/** The addresses by which a service that listens on a host can be opened, that of this machine itself first. */
export function addressesOf(
  host: string,
  port: number,
  scheme: "http" | "https" = "http",
  machine: NetworkInterfaces = networkInterfaces(),
): string[] {
  return hostsOf(host, machine).map((name) => `${scheme}://${name.includes(":") ? `[${name}]` : name}:${port}`);
}

/** The names by which a service that listens on a host can be reached, that of this machine itself first. */
function hostsOf(host: string, machine: NetworkInterfaces): string[] {
  const all = host === "0.0.0.0" || host === "::";
  if (!all) return [host];
  const outer = Object.values(machine).flatMap((found) => found ?? []);
  // Of IPv6, what begins with fe80 is reached only by who names a network card as well.
  const open = outer.filter(({ address, family, internal }) => {
    return !internal && (family === "IPv4" || (host === "::" && !address.startsWith("fe80:")));
  });
  return ["127.0.0.1", ...open.map(({ address }) => address)];
}

// The certificate of the service: files of the operator, or one of its own authority, which lies beside the data.

/** The TLS setting: these files, a certificate of its own, or none. */
export type TlsSetting = { readonly cert: string; readonly key: string } | "self" | null;

/** What the service speaks TLS with. */
interface Tls {
  readonly identity: TlsCertificate;
  /** The certificate of the authority of one's own; null with files of the operator. */
  readonly authority: string | null;
  /** Looks again. Answers what to speak with from now on; null when that stays. */
  readonly look: () => Promise<TlsCertificate | null>;
}

interface TlsFlags {
  readonly tls: string | undefined;
  readonly "tls-cert": string | undefined;
  readonly "tls-key": string | undefined;
}

/** Reads how TLS is wished for. Files that cannot be used are a `WrongUse`. */
export function readTls({ tls, "tls-cert": cert, "tls-key": key }: TlsFlags): TlsSetting {
  if (tls !== undefined && tls !== "self") throw new UsageError("--tls must be self, or use --tls-cert and --tls-key.");
  if (cert === undefined && key === undefined) return tls === "self" ? "self" : null;
  if (tls === "self") throw new UsageError("Use either --tls self or --tls-cert and --tls-key.");
  if (cert === undefined || key === undefined) throw new UsageError("--tls-cert and --tls-key need one another.");
  readFiles({ cert, key });
  return { cert, key };
}

function readFiles(files: { readonly cert: string; readonly key: string }): TlsCertificate {
  const identity = { cert: textOf("--tls-cert", files.cert), key: textOf("--tls-key", files.key) };
  const problem = identityProblem(identity);
  if (problem === "certificate") throw new UsageError(`--tls-cert: ${files.cert} holds no certificate as PEM.`);
  if (problem === "key")
    throw new UsageError(`--tls-key: ${files.key} holds no private key as PEM without a password.`);
  if (problem === "pair")
    throw new UsageError(`--tls-key: ${files.key} is not the key of the certificate in ${files.cert}.`);
  return identity;
}

function textOf(flag: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${flag}: ${path} cannot be read (${(error as { code?: string }).code ?? error}).`);
  }
}

interface TlsContext {
  readonly host: string;
  readonly data: string;
  readonly log: Log;
  readonly now: () => number;
}

/** Gets ready to speak TLS as it is wished for; null for plain http. */
export async function openTls(wish: TlsSetting, place: TlsContext): Promise<Tls | null> {
  if (wish === null) return null;
  return wish === "self" ? await openOwn(place) : openFiles(wish, place.log);
}

function openFiles(files: { readonly cert: string; readonly key: string }, log: Log): Tls {
  const identity = readFiles(files);
  let used = identity;
  let warned = "";
  const look = async () => {
    try {
      const found = readFiles(files);
      warned = "";
      if (found.cert === used.cert && found.key === used.key) return null;
      used = found;
      log.info("the certificate was renewed", { ends: new Date(endOf(found.cert)).toISOString() });
      return found;
    } catch (error) {
      // A certificate and its key are two files, which for a moment may not match.
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== warned) log.warn("the certificate before is kept", { problem });
      warned = problem;
      return null;
    }
  };
  return { identity, authority: null, look };
}

const renewed_days = 30;

async function openOwn(place: TlsContext): Promise<Tls> {
  const { host, data, log, now } = place;
  const folder = join(data, "tls");
  makeFolder(folder);
  const authority = await authorityIn(folder, place);
  const file = join(folder, "server.pem");
  const told = new Set<string>();
  const namesNow = () => {
    const names = namesOf(host);
    const strange = names.filter((name) => !isPermitted(authority.permits, name));
    const unfit = strange.filter((name) => !told.has(name));
    for (const name of unfit) told.add(name);
    const remedy = `remove ${join(folder, authority_file)} and start again; every device must then trust the new one`;
    if (unfit.length > 0) log.warn("the authority may not vouch for some names", { names: unfit.join(" "), remedy });
    return names.filter((name) => !strange.includes(name));
  };
  const renew = async (names: readonly string[]) => {
    const made = await makeCertificate(authority, names, now());
    writeAtomically(file, made.cert + made.key);
    log.info("a certificate was made", { names: names.join(" "), ends: new Date(endOf(made.cert)).toISOString() });
    return made;
  };
  const isFit = ({ cert }: TlsCertificate, names: readonly string[]) =>
    isUsableCertificate(cert, names, renewed_days, now());
  const kept = identityIn(file);
  const usable = kept !== null && isFit(kept, namesNow()) && isIssuedBy(kept.cert, authority.cert);
  let used = usable ? kept : await renew(namesNow());
  const look = async () => {
    const names = namesNow();
    if (isFit(used, names)) return null;
    used = await renew(names);
    return used;
  };
  return { identity: used, authority: authority.cert, look };
}

const authority_file = "authority.pem";
const permits_line = "Permits: ";

/** The authority that is kept in a folder; a new one when there is none, or it comes to its end. */
async function authorityIn(folder: string, { host, log, now }: TlsContext): Promise<CertificateAuthority> {
  const file = join(folder, authority_file);
  const kept = identityIn(file);
  if (kept === null && existsSync(file)) {
    const ways = "Put it back from a backup, or remove it: every device must then trust the new one";
    throw new UsageError(`${file} is damaged. ${ways}.`);
  }
  const keep = (authority: CertificateAuthority) => {
    // For programs that are told whom to trust by a file, such as curl.
    const copy = join(folder, "authority.crt");
    if (!existsSync(copy) || readFileSync(copy, "utf8") !== authority.cert) writeAtomically(copy, authority.cert);
    return authority;
  };
  if (kept !== null && isUsableCertificate(kept.cert, [], renewed_days, now())) {
    const line = readFileSync(file, "utf8")
      .split("\n")
      .find((text) => text.startsWith(permits_line));
    return keep({ ...kept, permits: (line ?? "").slice(permits_line.length).split(" ") });
  }
  const own = namesOf(host).filter((name) => !isPermitted(localNames, name));
  const name = `Packhouse authority of ${hostname().toLowerCase()}`;
  const made = await makeAuthority(name.slice(0, 64), [...localNames, ...own], now());
  writeAtomically(file, `${permits_line}${made.permits.join(" ")}\n${made.cert}${made.key}`);
  log.info("a certificate authority was made", { fingerprint: fingerprintOf(made.cert) });
  return keep(made);
}

/** The certificate and key in a file; null when there are none, or they cannot be read. */
function identityIn(file: string): TlsCertificate | null {
  if (!existsSync(file)) return null;
  const text = readFileSync(file, "utf8");
  const block = (kind: string) =>
    new RegExp(`-----BEGIN ${kind}-----[^-]+-----END ${kind}-----\\n`).exec(text)?.[0] ?? "";
  const found = { cert: block("CERTIFICATE"), key: block("PRIVATE KEY") };
  return identityProblem(found) === null ? found : null;
}

const dnsName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,62})(\.[a-z0-9][a-z0-9-]{0,62})*$/;

/** The names and addresses by which devices reach this machine. */
function namesOf(host: string): string[] {
  const name = hostname().toLowerCase();
  const names = name.includes(".") || isIP(name) !== 0 ? [name] : [name, `${name}.local`];
  const everywhere = hostsOf(host === "::" ? host : "0.0.0.0", networkInterfaces());
  const all = ["localhost", "127.0.0.1", "::1", ...names, ...everywhere, host.toLowerCase()];
  const others = all.filter((one) => one !== "0.0.0.0" && one !== "::");
  return [...new Set(others)].filter((one) => isIP(one) !== 0 || dnsName.test(one));
}

const check_every_ms = 60_000;

const ends = gauge("packhouse_certificate_ends_seconds", "When the certificate ends, in Unix seconds; 0 without TLS.");
let shown_seconds = 0;

/** Shows when a certificate ends in the metrics, in place of the one before. */
function showEnd({ cert }: TlsCertificate): void {
  const seconds = Math.floor(endOf(cert) / 1000);
  ends.add(seconds - shown_seconds);
  shown_seconds = seconds;
}

/** Checks every minute and on request, and passes a new certificate on. */
export function watchTls(tls: Tls | null, log: Log, take: (identity: TlsCertificate) => void) {
  const renew = (identity: TlsCertificate) => {
    showEnd(identity);
    take(identity);
  };
  const look = () => {
    const failed = (error: unknown) => log.error("the certificate was not looked at", { error: String(error) });
    tls?.look().then((identity) => identity && !stopped && renew(identity), failed);
  };
  if (tls !== null) showEnd(tls.identity);
  let stopped = false;
  const timer = setInterval(look, check_every_ms);
  const stop = () => {
    stopped = true;
    clearInterval(timer);
  };
  return { look, stop };
}
