import { expect, test } from "bun:test";
import { addressesOf } from "../../src/server/tls.ts";

const card = (address: string, family: "IPv4" | "IPv6", internal = false) => ({ address, family, internal });
const machine = {
  lo: [card("127.0.0.1", "IPv4", true), card("::1", "IPv6", true)],
  eth0: [card("192.168.1.5", "IPv4"), card("fe80::1", "IPv6"), card("2001:db8::5", "IPv6")],
};

test.each([
  ["127.0.0.1", ["http://127.0.0.1:3000"]],
  ["packhouse.local", ["http://packhouse.local:3000"]],
  ["::1", ["http://[::1]:3000"]],
  ["0.0.0.0", ["http://127.0.0.1:3000", "http://192.168.1.5:3000"]],
  ["::", ["http://127.0.0.1:3000", "http://192.168.1.5:3000", "http://[2001:db8::5]:3000"]],
])("a service on %s can be opened at %j", (host, addresses) => {
  expect(addressesOf(host, 3000, "http", machine)).toEqual(addresses);
  const secure = addresses.map((address) => address.replace("http:", "https:"));
  expect(addressesOf(host, 3000, "https", machine)).toEqual(secure);
});
