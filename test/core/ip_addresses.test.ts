import { expect, test } from "bun:test";
import { addressList, clientAddress, networkOf } from "../../src/core/ip_addresses.ts";

const trusted = addressList(["10.0.0.0/8", "2001:db8::/32"]);

test.each([
  ["no proxy", "192.0.2.1", null, "192.0.2.1"],
  ["a peer that nobody trusts", "192.0.2.1", "198.51.100.7", "192.0.2.1"],
  ["a trusted proxy", "10.0.0.1", "198.51.100.7", "198.51.100.7"],
  ["a forged first hop", "10.0.0.1", "1.1.1.1, 198.51.100.7", "198.51.100.7"],
  ["two proxies, with spaces and ports", "10.0.0.1", "198.51.100.7:4711,  10.2.3.4:80", "198.51.100.7"],
  ["repeated headers, joined", "10.0.0.1", "1.1.1.1, 198.51.100.7, 10.9.9.9", "198.51.100.7"],
  ["an address of the sixth version in brackets", "2001:db8::1", "[2a00::7]:443", "2a00::7"],
  ["a mapped address", "::ffff:10.0.0.1", "::ffff:198.51.100.7", "198.51.100.7"],
  ["a mapped address in groups, with a port", "::FFFF:a00:1", "[::ffff:c633:6407]:8080", "198.51.100.7"],
  ["an address of a zone", "fe80::1%eth0", null, "fe80::1"],
  ["a hop with too many parts", "10.0.0.1", "1.2.3.4.5", null],
  ["a hop with a port that is none", "10.0.0.1", "[2a00::7]:http", null],
  ["an empty hop", "10.0.0.1", "198.51.100.7,", null],
  ["an empty header", "10.0.0.1", "", null],
  ["only trusted hops", "10.0.0.1", "10.1.1.1, 10.2.2.2", "10.0.0.1"],
  ["a hop that is no address", "10.0.0.1", "198.51.100.7, unknown", null],
  ["no peer", null, "198.51.100.7", null],
])("the client's address behind %s", (_, peer, forwarded_for, expected) => {
  expect(clientAddress(peer, forwarded_for, trusted)).toBe(expected);
});

test("a list includes the addresses of its ranges, IPv4 and IPv6, and no others", () => {
  const list = addressList(["192.0.2.0/24", "2001:db8::1"]);
  const inside = ["192.0.2.1", "192.0.2.255", "2001:db8::1"];
  const outside = ["192.0.3.1", "8.8.8.8", "2001:db8::2", "::1", "junk", ""];
  expect([...inside, ...outside].filter(list.includes)).toEqual(inside);
});

test.each([
  "10.0.0.0/33",
  "10.0.0.0/-1",
  "10.0.0.0/",
  "10.0.0/8",
  "10.0.0.0/8/8",
  "10.0.0.0/1e1",
  "2001:db8::/129",
  "fe80::1%eth0/64",
  "host",
  "",
])("%j is refused as a range", (text) => {
  expect(() => addressList([text])).toThrow(RangeError);
});

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["2001:db8:0:1:aaaa:bbbb:cccc:dddd", "2001:db8:0:1::/64"],
  ["2001:DB8:0:1::", "2001:db8:0:1::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
])("%s is counted as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
