// The settings of `serve` from environment variables, read before any data is opened.
import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { readAddress, UsageError, variable } from "../core/config.ts";
import { type AddressList, addressList } from "../core/ip_addresses.ts";
import type { MailSettings } from "../http/service.ts";
import { bareHost, rangeProblem } from "../outbound/destination.ts";
import { isGs1Prefix } from "../shipping/labels/sscc.ts";

/** One reader for each setting. Each throws only `UsageError`. */
const readers = {
  trusted_proxies: () => ranges("PACKHOUSE_TRUSTED_PROXIES"),
  webhook_allow_cidrs: openings,
  mail: mailSettings,
  base_url: readBaseUrl,
  gs1_prefix: readGs1Prefix,
} as const;

/** The settings of `serve` from the environment. */
interface EnvironmentSettings {
  readonly trusted_proxies: AddressList;
  readonly webhook_allow_cidrs: string[];
  readonly mail: MailSettings | null;
  readonly base_url: string;
  readonly gs1_prefix: string | null;
  readonly known_hosts: ReadonlySet<string>;
  readonly loopback_only: boolean;
  readonly loopback_receivers: boolean;
  readonly merchant_allow_cidrs: readonly string[];
}

/** Where the service listens, and whether receivers on loopback addresses are allowed in any case. */
interface ListenSettings {
  readonly host: string;
  readonly allow_loopback_receivers: boolean;
}

/** Reads the settings from the environment. Throws `UsageError` for an invalid one. */
export function readEnvironmentSettings(listening: ListenSettings): EnvironmentSettings {
  return withListenAddress(listening, {
    trusted_proxies: readers.trusted_proxies(),
    webhook_allow_cidrs: readers.webhook_allow_cidrs(),
    mail: readers.mail(),
    base_url: readers.base_url(),
    gs1_prefix: readers.gs1_prefix(),
  });
}

type ReadSettings = { readonly [Name in keyof typeof readers]: ReturnType<(typeof readers)[Name]> };

/**
 * Adds the settings that follow from where the service listens. Receivers on loopback are allowed only on a developer's
 * machine: behind a proxy or a public address, other services may listen on loopback.
 */
function withListenAddress(
  { host, allow_loopback_receivers }: ListenSettings,
  read: ReadSettings,
): EnvironmentSettings {
  const loopback_only = isLoopback(host);
  const has_public_url = read.base_url !== "" && !isLoopback(bareHost(new URL(read.base_url).hostname));
  const is_alone = loopback_only && !has_public_url && read.trusted_proxies.size === 0;
  const loopback_receivers = allow_loopback_receivers || is_alone;
  return { ...read, known_hosts: knownHosts(host), loopback_only, loopback_receivers, merchant_allow_cidrs: [] };
}

/** Reads the settings with defaults in place of invalid ones, and returns the message for each invalid one. */
export function settingsAndRefusals(listening: ListenSettings): {
  settings: EnvironmentSettings;
  refused: readonly string[];
} {
  const refused: string[] = [];
  const tried = <T>(read: () => T, fallback: T): T => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      refused.push(error.message);
      return fallback;
    }
  };
  const settings = withListenAddress(listening, {
    trusted_proxies: tried(readers.trusted_proxies, addressList([])),
    webhook_allow_cidrs: tried(readers.webhook_allow_cidrs, []),
    mail: tried(readers.mail, null),
    base_url: tried(readers.base_url, ""),
    gs1_prefix: tried(readers.gs1_prefix, null),
  });
  return { settings, refused };
}

/** The service's public URL without a trailing slash; "" when none is set. */
function readBaseUrl(): string {
  const url = variable("PACKHOUSE_BASE_URL");
  if (url === null) return "";
  const { protocol = "", username, search, hash } = URL.parse(url) ?? {};
  if (!/^https?:$/.test(protocol) || username || search || hash) {
    throw new UsageError("PACKHOUSE_BASE_URL must be a URL such as https://ship.example.com.");
  }
  return url.replace(/\/+$/, "");
}

/** The company's GS1 prefix, from which label numbers are built; null when none is set. */
function readGs1Prefix(): string | null {
  const prefix = variable("PACKHOUSE_GS1_PREFIX");
  if (prefix === null || isGs1Prefix(prefix)) return prefix;
  throw new UsageError("PACKHOUSE_GS1_PREFIX must be your company's GS1 prefix of 4 to 12 digits.");
}

/** The names and addresses by which this machine is reached where it listens, written as hosts of URLs. */
function knownHosts(host: string): ReadonlySet<string> {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const everywhere = host === "0.0.0.0" || host === "::";
  const others = everywhere ? [hostname().toLowerCase(), ...own.map(({ address }) => address)] : [host];
  return new Set(["localhost", "127.0.0.1", "::1", ...others].map((name) => (isIP(name) === 6 ? `[${name}]` : name)));
}

function words(name: `PACKHOUSE_${string}`): string[] {
  return (variable(name) ?? "").split(/[\s,]+/).filter((word) => word !== "");
}

function ranges(name: `PACKHOUSE_${string}`): AddressList {
  try {
    return addressList(words(name));
  } catch (error) {
    throw new UsageError(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}

/** The private ranges that the operator allows for webhooks. */
function openings(): string[] {
  const cidrs = words("PACKHOUSE_WEBHOOK_ALLOW_CIDRS");
  const problem = cidrs.map(rangeProblem).find((message) => message !== null);
  if (problem) throw new UsageError(`PACKHOUSE_WEBHOOK_ALLOW_CIDRS: ${problem}`);
  return cidrs;
}

/** The mail server and addresses for notices to the operator; null when no mail server is set. */
function mailSettings(): MailSettings | null {
  const [url, to] = [variable("PACKHOUSE_SMTP_URL"), variable("PACKHOUSE_MAIL_TO")];
  if (url === null) return null;
  if (!/^smtps?:$/.test(readAddress(url)?.protocol ?? "")) {
    throw new UsageError("PACKHOUSE_SMTP_URL must look like smtp://user:password@host:587.");
  }
  if (to === null) throw new UsageError("PACKHOUSE_SMTP_URL requires PACKHOUSE_MAIL_TO, the address to notify.");
  return { url, to, from: variable("PACKHOUSE_MAIL_FROM") ?? to.split(",")[0] ?? to };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
