// The server's addresses and its TLS certificate: the operator's files, or one of its own authority in the data
// directory.

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

/** The URLs of a service that listens on `host`, the one for this machine first. */
export function addressesOf(
  host: string,
  port: number,
  scheme: "http" | "https" = "http",
  machine: NetworkInterfaces = networkInterfaces(),
): string[] {
  return hostsOf(host, machine).map((name) => `${scheme}://${name.includes(":") ? `[${name}]` : name}:${port}`);
}

/** The hosts by which a service that listens on `host` can be reached, the one for this machine first. */
function hostsOf(host: string, machine: NetworkInterfaces): string[] {
  const all = host === "0.0.0.0" || host === "::";
  if (!all) return [host];
  const addresses = Object.values(machine).flatMap((it) => it ?? []);
  // Link-local IPv6 addresses (fe80) work only together with the name of a network interface.
  const reachable = addresses.filter(({ address, family, internal }) => {
    return !internal && (family === "IPv4" || (host === "::" && !address.startsWith("fe80:")));
  });
  return ["127.0.0.1", ...reachable.map(({ address }) => address)];
}

/** The TLS setting: the operator's files, a certificate of the server's own authority, or none. */
export type TlsSetting = { readonly cert: string; readonly key: string } | "self" | null;

interface Tls {
  readonly identity: TlsCertificate;
  /** The certificate of the server's own authority; null with the operator's files. */
  readonly authority: string | null;
  /** Checks for a renewal. Returns the new certificate, or null if it is unchanged. */
  readonly check: () => Promise<TlsCertificate | null>;
}

interface TlsFlags {
  readonly tls: string | undefined;
  readonly "tls-cert": string | undefined;
  readonly "tls-key": string | undefined;
}

/** Reads the TLS flags. Throws `UsageError` for a wrong combination or an unusable file. */
export function readTls({ tls, "tls-cert": cert, "tls-key": key }: TlsFlags): TlsSetting {
  if (tls !== undefined && tls !== "self") throw new UsageError("--tls must be self, or use --tls-cert and --tls-key.");
  if (cert === undefined && key === undefined) return tls === "self" ? "self" : null;
  if (tls === "self") throw new UsageError("Use either --tls self or --tls-cert and --tls-key.");
  if (cert === undefined || key === undefined) throw new UsageError("--tls-cert and --tls-key must be used together.");
  readFiles({ cert, key });
  return { cert, key };
}

function readFiles(files: { readonly cert: string; readonly key: string }): TlsCertificate {
  const identity = { cert: textOf("--tls-cert", files.cert), key: textOf("--tls-key", files.key) };
  const problem = identityProblem(identity);
  if (problem === "certificate") throw new UsageError(`--tls-cert: ${files.cert} does not contain a PEM certificate.`);
  if (problem === "key")
    throw new UsageError(`--tls-key: ${files.key} does not contain a PEM private key without a password.`);
  if (problem === "pair")
    throw new UsageError(`--tls-key: ${files.key} does not match the certificate in ${files.cert}.`);
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

/** Loads the certificate for a TLS setting, or creates it; null for plain http. */
export async function openTls(setting: TlsSetting, context: TlsContext): Promise<Tls | null> {
  if (setting === null) return null;
  return setting === "self" ? await openOwn(context) : openFiles(setting, context.log);
}

function openFiles(files: { readonly cert: string; readonly key: string }, log: Log): Tls {
  const identity = readFiles(files);
  let used = identity;
  let warned = "";
  const check = async () => {
    try {
      const current = readFiles(files);
      warned = "";
      if (current.cert === used.cert && current.key === used.key) return null;
      used = current;
      log.info("the certificate was renewed", { ends: new Date(endOf(current.cert)).toISOString() });
      return current;
    } catch (error) {
      // While both files are replaced, they may not match for a moment.
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== warned)
        log.warn("the new certificate cannot be used; the previous one stays in use", { problem });
      warned = problem;
      return null;
    }
  };
  return { identity, authority: null, check };
}

const renewed_days = 30;

async function openOwn(context: TlsContext): Promise<Tls> {
  const { host, data, log, now } = context;
  const folder = join(data, "tls");
  makeFolder(folder);
  const authority = await authorityIn(folder, context);
  const file = join(folder, "server.pem");
  const warned = new Set<string>();
  const permittedNames = () => {
    const names = namesOf(host);
    const refused = names.filter((name) => !isPermitted(authority.permits, name));
    const unwarned = refused.filter((name) => !warned.has(name));
    for (const name of unwarned) warned.add(name);
    const remedy = `remove ${join(folder, authority_file)} and restart; every device must then trust the new authority`;
    if (unwarned.length > 0)
      log.warn("the certificate authority does not permit some names", { names: unwarned.join(" "), remedy });
    return names.filter((name) => !refused.includes(name));
  };
  const renew = async (names: readonly string[]) => {
    const created = await makeCertificate(authority, names, now());
    writeAtomically(file, created.cert + created.key);
    const ends = new Date(endOf(created.cert)).toISOString();
    log.info("a certificate was created", { names: names.join(" "), ends });
    return created;
  };
  const isUsable = ({ cert }: TlsCertificate, names: readonly string[]) =>
    isUsableCertificate(cert, names, renewed_days, now());
  const stored = identityIn(file);
  const is_stored_usable =
    stored !== null && isUsable(stored, permittedNames()) && isIssuedBy(stored.cert, authority.cert);
  let used = is_stored_usable ? stored : await renew(permittedNames());
  const check = async () => {
    const names = permittedNames();
    if (isUsable(used, names)) return null;
    used = await renew(names);
    return used;
  };
  return { identity: used, authority: authority.cert, check };
}

const authority_file = "authority.pem";
const permits_line = "Permits: ";

/** The authority in a folder; a new one if there is none or it is about to expire. */
async function authorityIn(folder: string, { host, log, now }: TlsContext): Promise<CertificateAuthority> {
  const file = join(folder, authority_file);
  const stored = identityIn(file);
  if (stored === null && existsSync(file)) {
    const remedy = "Restore it from a backup, or remove it; every device must then trust the new authority";
    throw new UsageError(`${file} is damaged. ${remedy}.`);
  }
  const writeCopy = (authority: CertificateAuthority) => {
    // For programs that take trusted authorities from a file, such as curl.
    const copy = join(folder, "authority.crt");
    if (!existsSync(copy) || readFileSync(copy, "utf8") !== authority.cert) writeAtomically(copy, authority.cert);
    return authority;
  };
  if (stored !== null && isUsableCertificate(stored.cert, [], renewed_days, now())) {
    const line = readFileSync(file, "utf8")
      .split("\n")
      .find((text) => text.startsWith(permits_line));
    return writeCopy({ ...stored, permits: (line ?? "").slice(permits_line.length).split(" ") });
  }
  const own = namesOf(host).filter((name) => !isPermitted(localNames, name));
  const name = `Packhouse authority of ${hostname().toLowerCase()}`;
  const created = await makeAuthority(name.slice(0, 64), [...localNames, ...own], now());
  writeAtomically(file, `${permits_line}${created.permits.join(" ")}\n${created.cert}${created.key}`);
  log.info("a certificate authority was created", { fingerprint: fingerprintOf(created.cert) });
  return writeCopy(created);
}

/** The certificate and key in a file; null if there are none or they do not match. */
function identityIn(file: string): TlsCertificate | null {
  if (!existsSync(file)) return null;
  const text = readFileSync(file, "utf8");
  const block = (kind: string) =>
    new RegExp(`-----BEGIN ${kind}-----[^-]+-----END ${kind}-----\\n`).exec(text)?.[0] ?? "";
  const identity = { cert: block("CERTIFICATE"), key: block("PRIVATE KEY") };
  return identityProblem(identity) === null ? identity : null;
}

const dnsName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,62})(\.[a-z0-9][a-z0-9-]{0,62})*$/;

/** The names and addresses by which devices reach this machine. */
function namesOf(host: string): string[] {
  const name = hostname().toLowerCase();
  const names = name.includes(".") || isIP(name) !== 0 ? [name] : [name, `${name}.local`];
  const everywhere = hostsOf(host === "::" ? host : "0.0.0.0", networkInterfaces());
  const all = ["localhost", "127.0.0.1", "::1", ...names, ...everywhere, host.toLowerCase()];
  const specific = all.filter((it) => it !== "0.0.0.0" && it !== "::");
  return [...new Set(specific)].filter((it) => isIP(it) !== 0 || dnsName.test(it));
}

const check_every_ms = 60_000;

const ends = gauge(
  "packhouse_certificate_ends_seconds",
  "When the certificate expires, in Unix seconds; 0 without TLS.",
);
let shown_seconds = 0;

/** Sets the metric to the end of this certificate. */
function showEnd({ cert }: TlsCertificate): void {
  const seconds = Math.floor(endOf(cert) / 1000);
  ends.add(seconds - shown_seconds);
  shown_seconds = seconds;
}

/** Checks the certificate every minute and at each call of `check`, and passes a new one to `onRenewed`. */
export function watchTls(tls: Tls | null, log: Log, onRenewed: (identity: TlsCertificate) => void) {
  const renew = (identity: TlsCertificate) => {
    showEnd(identity);
    onRenewed(identity);
  };
  const check = () => {
    const failed = (error: unknown) => log.error("the certificate could not be checked", { error: String(error) });
    tls?.check().then((identity) => identity && !stopped && renew(identity), failed);
  };
  if (tls !== null) showEnd(tls.identity);
  let stopped = false;
  const timer = setInterval(check, check_every_ms);
  const stop = () => {
    stopped = true;
    clearInterval(timer);
  };
  return { check, stop };
}
