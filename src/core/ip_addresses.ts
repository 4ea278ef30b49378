import { BlockList, isIP } from "node:net";

/** A list of IPv4 and IPv6 addresses and CIDR ranges. */
export interface AddressList {
  readonly includes: (address: string) => boolean;
  readonly size: number;
}

/** Builds a list from texts such as `10.0.0.0/8` or `2001:db8::1`. Throws a `RangeError` for anything else. */
export function addressList(texts: readonly string[]): AddressList {
  // A BlockList with both families would match every IPv4 address.
  const v4 = new BlockList();
  const v6 = new BlockList();
  for (const text of texts) {
    const [, address = "", bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? [];
    const family = isIP(address);
    const width = family === 4 ? 32 : 128;
    const prefix = bits === undefined ? width : Number(bits);
    if (family === 0 || prefix > width) throw new RangeError(`${text} is not an address or range such as 10.0.0.0/8`);
    if (family === 4) v4.addSubnet(address, prefix, "ipv4");
    else v6.addSubnet(address, prefix, "ipv6");
  }
  return {
    size: texts.length,
    includes: (address) =>
      isIP(address) === 4 ? v4.check(address, "ipv4") : isIP(address) === 6 && v6.check(address, "ipv6"),
  };
}

/**
 * The client's address: the socket's peer, unless that is a trusted proxy. Then `X-Forwarded-For` is read from the
 * right, skipping trusted proxies; the first other address is the client. Null when it cannot be read.
 */
export function clientAddress(peer: string | null, forwarded_for: string | null, trusted: AddressList): string | null {
  const socket = peer === null ? null : plain(peer);
  if (socket === null || trusted.size === 0 || !trusted.includes(socket) || forwarded_for === null) return socket;
  const hops = forwarded_for.split(",").map((hop) => plain(hop.trim()));
  for (const hop of hops.reverse()) {
    if (hop === null) return null;
    if (!trusted.includes(hop)) return hop;
  }
  return socket;
}

/**
 * The network to count an address under: an IPv4 address itself, or an IPv6 address's first 64 bits, which one customer
 * has.
 */
export function networkOf(address: string): string {
  return isIP(address) === 6 ? `${groupsOf(address).slice(0, 4).join(":")}::/64` : address;
}

/**
 * Strips a port, brackets and a zone, and unmaps `::ffff:1.2.3.4` in any form; null for text that is not an address.
 */
function plain(text: string): string | null {
  const bracketed = /^\[([^\]]+)\](:\d+)?$/.exec(text)?.[1];
  const address = (bracketed ?? text.replace(/^([\d.]+):\d+$/, "$1")).replace(/%[\w.-]+$/, "");
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : null;
  const groups = groupsOf(address);
  if (groups.slice(0, 6).join(":") !== "0:0:0:0:0:ffff") return address;
  const bytes = groups.slice(6).flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
  return bytes.join(".");
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  // URL normalizes every spelling, including one that ends with an IPv4 address.
  const { hostname } = new URL(`http://[${address}]`);
  const [left = [], right = []] = hostname
    .slice(1, -1)
    .split("::")
    .map((half) => (half === "" ? [] : half.split(":")));
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => "0"), ...right];
}
