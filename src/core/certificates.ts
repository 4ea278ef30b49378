// A private certificate authority and its certificates for servers on a local network.

import { createPrivateKey, randomBytes, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { day_ms } from "./time.ts";

/** A certificate, possibly with its chain, and its private key, both as PEM. */
export interface TlsCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateAuthority extends TlsCertificate {
  /** The domains that it may sign for, including their subdomains. IP addresses are not limited. */
  readonly permits: readonly string[];
}

const authority_days = 3652;
// Apple's devices reject certificates for more than 398 days.
const certificate_days = 397;
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
// Device clocks may be slow.
const slow_clock_ms = day_ms;

/** Domains for which no public certificate exists. */
export const localNames: readonly string[] = ["localhost", "local", "lan", "internal", "home.arpa"];

/** Creates an authority that is valid for ten years. Devices trust it only for the permitted domains. */
export async function makeAuthority(
  name: string,
  permits: readonly string[],
  now: number,
): Promise<CertificateAuthority> {
  const x509 = await library();
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const { keyCertSign, cRLSign } = x509.KeyUsageFlags;
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: [{ CN: [name] }],
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(now - slow_clock_ms),
    notAfter: new Date(now + authority_days * day_ms),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(keyCertSign | cRLSign, true),
      new x509.Extension("2.5.29.30", true, constraints(permits)),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: `${made.toString("pem")}\n`, key: await pemOf(keys.privateKey), permits };
}

/** Creates a server certificate for these names and IP addresses. It expires after 397 days, or with its authority. */
export async function makeCertificate(
  authority: CertificateAuthority,
  names: readonly string[],
  now: number,
): Promise<TlsCertificate> {
  const x509 = await library();
  const signer = createPrivateKey(authority.key).export({ type: "pkcs8", format: "der" });
  const signingKey = await crypto.subtle.importKey("pkcs8", new Uint8Array(signer), algorithm, false, ["sign"]);
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const above = new x509.X509Certificate(authority.cert);
  const known = names.map((value) => ({ type: isIP(value) === 0 ? ("dns" as const) : ("ip" as const), value }));
  const notAfter = Math.min(now + certificate_days * day_ms - slow_clock_ms, above.notAfter.getTime());
  const made = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: [{ CN: ["Packhouse"] }],
    issuer: above.subjectName,
    notBefore: new Date(now - slow_clock_ms),
    notAfter: new Date(notAfter),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(known),
      await x509.AuthorityKeyIdentifierExtension.create(above),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: `${made.toString("pem")}\n`, key: await pemOf(keys.privateKey) };
}

/** Whether an authority may sign for a name or address. */
export function isPermitted(permits: readonly string[], name: string): boolean {
  return isIP(name) !== 0 || permits.some((permitted) => name === permitted || name.endsWith(`.${permitted}`));
}

/** Returns what is wrong with a certificate and its key, or null when a server can use them. */
export function identityProblem({ cert, key }: TlsCertificate): "certificate" | "key" | "pair" | null {
  const certificate = attempt(() => new X509Certificate(cert));
  if (certificate === null) return "certificate";
  const secret = attempt(() => createPrivateKey(key));
  if (secret === null) return "key";
  return certificate.checkPrivateKey(secret) ? null : "pair";
}

/** Whether a certificate covers all of these names and is valid for `days` more days. */
export function isUsableCertificate(cert: string, names: readonly string[], days: number, now: number): boolean {
  const certificate = new X509Certificate(cert);
  const isNamed = (name: string) => certificate.checkHost(name) !== undefined;
  const isAddress = (address: string) => certificate.checkIP(address) !== undefined;
  const all = names.every((name) => (isIP(name) === 0 ? isNamed(name) : isAddress(name)));
  return all && endOf(cert) > now + days * day_ms;
}

/** Whether this authority signed the certificate. */
export function isIssuedBy(cert: string, authority: string): boolean {
  return new X509Certificate(cert).verify(new X509Certificate(authority).publicKey);
}

/** When a certificate expires (ms). */
export const endOf = (cert: string): number => Date.parse(new X509Certificate(cert).validTo);

/** The SHA-256 fingerprint of a certificate, in the form that devices show. */
export const fingerprintOf = (cert: string): string => new X509Certificate(cert).fingerprint256;

// Certificates are created rarely, so the library is loaded only then.
async function library() {
  await import("reflect-metadata");
  return await import("@peculiar/x509");
}

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

const serial = () => `4a${randomBytes(15).toString("hex")}`;

async function pemOf(key: CryptoKey): Promise<string> {
  const bytes = Buffer.from(await crypto.subtle.exportKey("pkcs8", key));
  return createPrivateKey({ key: bytes, type: "pkcs8", format: "der" })
    .export({ type: "pkcs8", format: "pem" })
    .toString();
}

/**
 * The `NameConstraints` extension (RFC 5280, section 4.2.1.10), which the library cannot write. It constrains names
 * only: BoringSSL, and therefore Bun, rejects every certificate below an authority with constrained addresses.
 */
function constraints(permits: readonly string[]): Uint8Array<ArrayBuffer> {
  const subtrees = permits.map((permitted) => tagged(0x30, tagged(0x82, Buffer.from(permitted))));
  return new Uint8Array(tagged(0x30, tagged(0xa0, Buffer.concat(subtrees))));
}

function tagged(tag: number, body: Buffer): Buffer {
  const { length } = body;
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), body]);
}
