// Which URLs and IP addresses the service may call. A merchant's URL must be public. The operator's URLs may also be in
// the ranges that the operator allows and, on a developer's machine, on loopback.
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { assert } from "../core/faults.ts";
import { onFirstUse } from "../core/memoize.ts";

/** Address ranges, one list for each family, because a mixed list would treat IPv4 addresses as mapped IPv6 ones. */
interface Ranges {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
}

/** What decides which addresses may be called. */
export interface AddressPolicy {
  readonly mode: "live" | "test";
  /** Who chose the URL. A merchant's URL must never reach the operator's machine or network. */
  readonly chosen_by: "operator" | "merchant";
  /** Whether test data of the operator may be sent to loopback addresses. */
  readonly loopback_receivers: boolean;
  /** The ports that may be called in live mode: 443 and 8443 unless configured. */
  readonly ports: readonly number[];
  /** Ranges that may be called although they are not public. */
  readonly openings: Ranges;
}

/** The settings of the service that decide which addresses may be called. */
interface AddressSettings {
  readonly loopback_receivers: boolean;
  readonly webhook_allow_cidrs: readonly string[];
  readonly merchant_allow_cidrs: readonly string[];
}

/** The policy of a service for the addresses that the operator or a merchant chose. */
export function addressPolicy(
  { loopback_receivers, webhook_allow_cidrs, merchant_allow_cidrs }: AddressSettings,
  mode: AddressPolicy["mode"],
  chosen_by: AddressPolicy["chosen_by"],
): AddressPolicy {
  const is_operator = chosen_by === "operator";
  return {
    mode,
    chosen_by,
    loopback_receivers: is_operator && loopback_receivers,
    ports: default_ports,
    openings: ranges(is_operator ? webhook_allow_cidrs : merchant_allow_cidrs),
  };
}

/** Why an address is refused: the code and message of the field that names it. */
export interface UrlProblem {
  readonly code:
    | "too_long"
    | "invalid_url"
    | "https_required"
    | "userinfo_not_allowed"
    | "fragment_not_allowed"
    | "port_not_allowed"
    | "blocked_address";
  readonly message: string;
}

/** The ports that may be called in live mode by default. */
export const default_ports: readonly number[] = [443, 8443];

const url_characters_max = 2048;

/** What is wrong with one range in CIDR notation, or null. */
export function rangeProblem(cidr: string): string | null {
  const [address = "", length = "", ...rest] = cidr.split("/");
  const family = isIP(address);
  if (family === 0 || address.includes("%") || rest.length > 0) return `not an address range: ${cidr}`;
  const bits_max = family === 4 ? 32 : 128;
  return /^(0|[1-9][0-9]{0,2})$/.test(length) && Number(length) <= bits_max ? null : `not an address range: ${cidr}`;
}

/** Ranges from their CIDR notation, which `rangeProblem` has checked. */
export function ranges(cidrs: readonly string[]): Ranges {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const cidr of cidrs) {
    assert(rangeProblem(cidr) === null, `not an address range: ${cidr}`);
    const [address = "", length = ""] = cidr.split("/");
    const family = isIP(address) === 4 ? "ipv4" : "ipv6";
    lists[family].addSubnet(address, Number(length), family);
  }
  return lists;
}

const not_public = onFirstUse(() =>
  ranges([
    ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
    ...["192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
    ...["224.0.0.0/4", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"],
  ]),
);
const global_unicast = onFirstUse(() => ranges(["2000::/3"]));
const loopback = onFirstUse(() => ranges(["127.0.0.0/8", "::1/128"]));

// Cloud metadata services, which give credentials to any caller. No setting allows these, nor their IPv6 forms: mapped,
// compatible, translated, NAT64, 6to4.
const never_open = onFirstUse(() =>
  ranges([
    ...["169.254.0.0/16", "fd00:ec2::254/128", "::ffff:a9fe:0/112", "::a9fe:0/112", "::ffff:0:a9fe:0/112"],
    ...["64:ff9b::a9fe:0/112", "2002:a9fe::/32"],
  ]),
);

/**
 * Whether an address that `host` resolved to must not be called. The host is written as in a URL. Anything that is not
 * an address is blocked.
 */
export function isBlocked(address: string, host: string, policy: AddressPolicy): boolean {
  if (isIP(address) === 0 || address.includes("%") || contains(never_open(), address)) return true;
  if (contains(policy.openings, address)) return false;
  if (namesLoopback(host) && policy.mode === "test" && policy.loopback_receivers) {
    return !contains(loopback(), address);
  }
  return !isPublic(address) || (policy.chosen_by === "merchant" && policy.mode === "test" && isOwn(address));
}

const isPublic = (address: string): boolean =>
  !contains(not_public(), address) && (isIP(address) === 4 || contains(global_unicast(), address));

/**
 * Whether an address is one of this machine. A call from the machine to itself passes no firewall, and test data may be
 * sent to any port.
 */
function isOwn(address: string): boolean {
  const own = new BlockList();
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((all) => all ?? [])) {
    own.addAddress(address, family === "IPv4" ? "ipv4" : "ipv6");
  }
  return own.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

// No printer has these addresses: none, several machines, or reserved.
const no_machine = onFirstUse(() => ranges(["0.0.0.0/8", "224.0.0.0/4", "240.0.0.0/4", "::/128", "ff00::/8"]));

/**
 * Whether a printer must not have an address that its host resolved to. It may be private, even of this machine, but
 * neither that of a metadata service nor our own port.
 */
export function isForbiddenPrinter(address: string, port: number, own_port: number | null): boolean {
  if (isIP(address) === 0 || address.includes("%")) return true;
  if (contains(never_open(), address) || contains(no_machine(), address)) return true;
  return port === own_port && (contains(loopback(), address) || isOwn(address));
}

/** The host of a URL without the brackets of an IPv6 address. */
export function bareHost(host: string): string {
  return host.startsWith("[") ? host.slice(1, -1) : host;
}

/**
 * What is wrong with an address from a client, or null. A host name is not resolved here: its addresses are checked at
 * each call.
 */
export function urlProblem(text: string, policy: AddressPolicy): UrlProblem | null {
  if (text.length > url_characters_max)
    return problem("too_long", `must have at most ${url_characters_max} characters`);
  const url = URL.parse(text);
  // The URL parser repairs what it can. Only URLs that need no repair are accepted, so that all parsers agree on them.
  if (url === null || !/^[a-z]+:\/\/[^/]/i.test(text) || /[\s\p{Cc}\\]/u.test(text)) {
    return problem("invalid_url", "must be an absolute URL");
  }
  const secure = url.protocol === "https:";
  if (!secure && (policy.mode === "live" || url.protocol !== "http:")) {
    return problem("https_required", policy.mode === "live" ? "must use https" : "must use https or http");
  }
  if (/^[a-z]+:\/\/[^/?#]*@/i.test(text)) return problem("userinfo_not_allowed", "must not contain a user or password");
  if (text.includes("#")) return problem("fragment_not_allowed", "must not contain a fragment");
  const port = portOf(url);
  if (port === 0) return problem("port_not_allowed", "must not use port 0");
  if (policy.mode === "live" && !policy.ports.includes(port)) {
    return problem("port_not_allowed", `must use port ${policy.ports.join(" or ")}`);
  }
  const host = bareHost(url.hostname);
  const address = host === "localhost" ? "127.0.0.1" : host;
  if (isIP(address) === 0 || !isBlocked(address, host, policy)) return null;
  return notPublic(policy);
}

/** The refusal of an address that is not public, and what the operator can do about it. */
export function notPublic({ chosen_by, mode }: AddressPolicy): UrlProblem {
  if (chosen_by === "merchant") return problem("blocked_address", "must be public");
  const opening = "To allow a private address, add its range to PACKHOUSE_WEBHOOK_ALLOW_CIDRS";
  const here = ". To allow this machine, start the server with --allow-loopback-receivers";
  return problem("blocked_address", `must be public. ${opening}${mode === "test" ? here : ""}`);
}

/** The port that a URL names, or the one its scheme implies. */
export function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

const problem = (code: UrlProblem["code"], message: string): UrlProblem => ({ code, message });

const contains = (list: Ranges, address: string): boolean =>
  isIP(address) === 4 ? list.ipv4.check(address, "ipv4") : list.ipv6.check(address, "ipv6");

function namesLoopback(host: string): boolean {
  const name = bareHost(host);
  return name === "localhost" || (isIP(name) !== 0 && contains(loopback(), name));
}
