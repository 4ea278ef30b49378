// What the environment says of the service, as `serve` reads it before it opens any data.
import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { readAddress, UsageError, variable } from "../core/config.ts";
import { type AddressList, addressList } from "../core/ip_addresses.ts";
import type { MailSettings } from "../http/service.ts";
import { bareHost, rangeProblem } from "../outbound/destination.ts";
import { isGs1Prefix } from "../shipping/labels/sscc.ts";

/** The settings, one reader each: what each throws is a `WrongUse`. */
const readers = {
  trusted_proxies: () => ranges("PACKHOUSE_TRUSTED_PROXIES"),
  webhook_allow_cidrs: openings,
  mail: mailSettings,
  base_url: givenBaseUrl,
  gs1_prefix: givenGs1Prefix,
} as const;

/** What `serve` is told by its surroundings. */
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

/** Where the service listens, and whether the operator allows receivers on loopback in any case. */
interface ListenSettings {
  readonly host: string;
  readonly allow_loopback_receivers: boolean;
}

/** What the environment says of the service. Throws a `WrongUse` for what cannot be used. */
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
 * Settings with what follows from where the service listens. Behind a proxy, or with a public address, its machine is
 * no developer's: other services may listen on its loopback addresses.
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

/** As `givenSettings`, with nothing in the place of what cannot be used, and why each of that is refused. */
export function settingsAndRefusals(listening: ListenSettings): {
  settings: EnvironmentSettings;
  refused: readonly string[];
} {
  const refused: string[] = [];
  const tried = <T>(read: () => T, otherwise: T): T => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      refused.push(error.message);
      return otherwise;
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

/** The address of the service as the operator gives it, without a slash at the end; empty when none is given. */
function givenBaseUrl(): string {
  const given = variable("PACKHOUSE_BASE_URL");
  if (given === null) return "";
  const { protocol = "", username, search, hash } = URL.parse(given) ?? {};
  if (!/^https?:$/.test(protocol) || username || search || hash) {
    throw new UsageError("PACKHOUSE_BASE_URL must be an address such as https://ship.example.com.");
  }
  return given.replace(/\/+$/, "");
}

/** The company's prefix by GS1, of which labels have their numbers; null when none is given. */
function givenGs1Prefix(): string | null {
  const given = variable("PACKHOUSE_GS1_PREFIX");
  if (given === null || isGs1Prefix(given)) return given;
  throw new UsageError("PACKHOUSE_GS1_PREFIX must be the 4 to 12 digits that GS1 gave your company.");
}

/** What this machine is called where it listens, as URLs write a host. */
function knownHosts(host: string): ReadonlySet<string> {
  const own = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
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

/** The ranges that the operator opened for webhooks. */
function openings(): string[] {
  const cidrs = words("PACKHOUSE_WEBHOOK_ALLOW_CIDRS");
  const problem = cidrs.map(rangeProblem).find((found) => found !== null);
  if (problem) throw new UsageError(`PACKHOUSE_WEBHOOK_ALLOW_CIDRS: ${problem}`);
  return cidrs;
}

/** How the operator wants to be told by e-mail; null when nothing is said of a mail server. */
function mailSettings(): MailSettings | null {
  const [url, to] = [variable("PACKHOUSE_SMTP_URL"), variable("PACKHOUSE_MAIL_TO")];
  if (url === null) return null;
  if (!/^smtps?:$/.test(readAddress(url)?.protocol ?? "")) {
    throw new UsageError("PACKHOUSE_SMTP_URL must look like smtp://user:password@host:587.");
  }
  if (to === null) throw new UsageError("PACKHOUSE_SMTP_URL needs PACKHOUSE_MAIL_TO, the address to tell.");
  return { url, to, from: variable("PACKHOUSE_MAIL_FROM") ?? to.split(",")[0] ?? to };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
