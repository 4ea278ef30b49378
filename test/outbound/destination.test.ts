import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type AddressPolicy,
  default_ports,
  isBlocked,
  rangeProblem,
  ranges,
  urlProblem,
} from "../../src/outbound/destination.ts";

const live: AddressPolicy = {
  mode: "live",
  chosen_by: "operator",
  loopback_receivers: false,
  ports: default_ports,
  openings: ranges([]),
};
const sandbox: AddressPolicy = { ...live, mode: "test" };
const laptop: AddressPolicy = { ...sandbox, loopback_receivers: true };
const opened = (...cidrs: string[]): AddressPolicy => ({ ...live, openings: ranges(cidrs) });

describe("an address", () => {
  test.each([
    ...["0.0.0.0", "127.0.0.1", "169.254.169.254", "100.100.0.0", "224.1.2.3", "255.255.255.255", "::", "::1"],
    ...["::ffff:127.0.0.1", "::ffff:8.8.8.8", "::7f00:1", "::ffff:0:7f00:1", "64:ff9b::808:808", "64:ff9b:1::1"],
    ...["2002:c000:204::1", "2001:2::1", "5f00::1", "100::1", "fec0::1", "ff02::1", "junk", ""],
    ...["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1"],
    ...["198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "240.0.0.1", "100.64.0.1", "100.127.255.255"],
    ...[
      "fd00:ec2::254",
      "fe80::1",
      "fe80::1%eth0",
      "2606:4700::1%eth0",
      "fc00::1",
      "2001:db8::1",
      "3fff::1",
      "4000::1",
    ],
    ...["2130706433", "0x7f.1", "127.1", "1.1.1.1:443", "[2606:4700::1111]", " 1.1.1.1"],
  ])("%p is blocked", (address) => {
    for (const policy of [live, sandbox, laptop]) expect(isBlocked(address, "hooks.example", policy)).toBe(true);
  });

  test.each([
    ...["1.1.1.1", "172.32.0.1", "100.128.0.1", "198.20.0.1", "2001:4860:4860::8888"],
    ...[
      "9.255.255.255",
      "11.0.0.0",
      "126.255.255.255",
      "128.0.0.0",
      "169.253.255.255",
      "169.255.0.0",
      "172.15.255.255",
    ],
    ...["192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "223.255.255.255"],
    ...["2001:200::1", "2001:db7::1", "2001:db9::1", "2003::1", "2606:4700:4700::1111", "3ffe::1", "3fff:1000::1"],
  ])("%p is public", (address) => {
    for (const policy of [live, sandbox, laptop]) expect(isBlocked(address, "hooks.example", policy)).toBe(false);
  });

  test("is allowed in ranges that the operator opened, in both environments, and in no others", () => {
    const policy = opened("10.1.0.0/16", "fd12::/16");
    for (const own of [policy, { ...policy, mode: "test" as const }]) {
      expect(isBlocked("10.1.2.3", "erp.example", own)).toBe(false);
      expect(isBlocked("fd12::3", "erp.example", own)).toBe(false);
      expect(isBlocked("10.2.2.3", "erp.example", own)).toBe(true);
      expect(isBlocked("::ffff:10.1.2.3", "erp.example", own)).toBe(true);
      expect(isBlocked("fd13::3", "erp.example", own)).toBe(true);
    }
  });

  test.each([
    ...["169.254.169.254", "169.254.0.1", "fd00:ec2::254", "::ffff:169.254.169.254", "::169.254.169.254"],
    ...["::ffff:0:a9fe:a9fe", "64:ff9b::169.254.169.254", "2002:a9fe:a9fe::1"],
  ])("%p cannot be opened by any range", (address) => {
    expect(isBlocked(address, "hooks.example", opened("0.0.0.0/0", "::/0"))).toBe(true);
  });

  test("on loopback is allowed only for a loopback host, in test, if the server allows loopback receivers", () => {
    for (const host of ["localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]"]) {
      expect(isBlocked("127.0.0.1", host, laptop)).toBe(false);
      expect(isBlocked("::1", host, laptop)).toBe(false);
      expect(isBlocked("10.0.0.1", host, laptop)).toBe(true);
      expect(isBlocked("1.1.1.1", host, laptop)).toBe(true);
      expect(isBlocked("169.254.169.254", host, laptop)).toBe(true);
      expect(isBlocked("127.0.0.1", host, sandbox)).toBe(true);
      expect(isBlocked("127.0.0.1", host, { ...live, loopback_receivers: true })).toBe(true);
    }
    for (const host of ["hooks.example", "localhost.", "a.localhost", "0.0.0.0", "::ffff:7f00:1"]) {
      expect(isBlocked("127.0.0.1", host, laptop)).toBe(true);
    }
  });

  test("that embeds IPv4 in IPv6 is never public", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(isBlocked(`::ffff:${address}`, "hooks.example", live)).toBe(true);
        expect(isBlocked(`::${address}`, "hooks.example", live)).toBe(true);
        expect(isBlocked(`64:ff9b::${address}`, "hooks.example", live)).toBe(true);
      }),
    );
  });
});

describe("a range", () => {
  test.each(["10.0.0.0/8", "0.0.0.0/0", "::/0", "fd00::/8", "1.2.3.4/32", "::1/128"])("%p is valid", (cidr) => {
    expect(rangeProblem(cidr)).toBeNull();
  });

  test.each([
    ...["", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/-1", "10.0.0.0/08", "a/8"],
    ...["10.0.0.0/8/8", "fe80::1%eth0/64", "10.0.0.0/8 "],
  ])("%p is invalid", (cidr) => {
    expect(rangeProblem(cidr)).toContain(cidr);
    expect(() => ranges([cidr])).toThrow(cidr);
  });
});

describe("a receiver URL", () => {
  const code = (text: string, policy: AddressPolicy) => urlProblem(text, policy)?.code ?? null;

  test.each([
    ...[
      "https://hooks.example/a?b=c",
      "https://hooks.example:443",
      "https://hooks.example:8443/",
      "HTTPS://HOOKS.EXAMPLE",
    ],
    ...["https://1.1.1.1/", "https://[2606:4700::1111]/", "https://bücher.example/ü", "https://hooks.example/a@b"],
    ...["https://hooks.example/?at=a@b", "https://never-resolves.invalid/"],
  ])("%p is accepted in both environments", (text) => {
    expect(code(text, live)).toBeNull();
    expect(code(text, sandbox)).toBeNull();
  });

  test.each([
    ["http://hooks.example/", "https_required"],
    ["https://hooks.example:80/", "port_not_allowed"],
    ["https://hooks.example:4430/", "port_not_allowed"],
  ])("%p is accepted in test and refused in live: %s", (text, problem) => {
    expect(code(text, live)).toBe(problem as "https_required");
    expect(code(text, sandbox)).toBeNull();
  });

  test("can use the configured ports", () => {
    expect(code("https://hooks.example:9443/", { ...live, ports: [443, 9443] })).toBeNull();
    expect(urlProblem("https://hooks.example:8443/", { ...live, ports: [443, 9443] })?.message).toContain(
      "443 or 9443",
    );
  });

  test.each([
    ["", "invalid_url"],
    ["hooks.example", "invalid_url"],
    ["//hooks.example/", "invalid_url"],
    ["https:hooks.example", "invalid_url"],
    ["https:/hooks.example", "invalid_url"],
    ["https:///hooks.example", "invalid_url"],
    ["https:\\\\hooks.example", "invalid_url"],
    ["https://hooks.example\\@evil.example/", "invalid_url"],
    [" https://hooks.example/", "invalid_url"],
    ["https://hooks.example/a b", "invalid_url"],
    ["https://hooks.exam\nple/", "invalid_url"],
    ["https://hooks.example/\u0000", "invalid_url"],
    ["https://hooks.example:99999/", "invalid_url"],
    ["https://[::1", "invalid_url"],
    ["https://", "invalid_url"],
    ["ftp://hooks.example/", "https_required"],
    ["ws://hooks.example/", "https_required"],
    ["gopher://hooks.example/", "https_required"],
    ["https://user@hooks.example/", "userinfo_not_allowed"],
    ["https://user:word@hooks.example/", "userinfo_not_allowed"],
    ["https://@hooks.example/", "userinfo_not_allowed"],
    ["https://hooks.example/#a", "fragment_not_allowed"],
    ["https://hooks.example/#", "fragment_not_allowed"],
    ["https://hooks.example:0/", "port_not_allowed"],
    [`https://hooks.example/${"a".repeat(2027)}`, "too_long"],
    ["https://127.0.0.1/", "blocked_address"],
    ["https://localhost/", "blocked_address"],
    ["https://LOCALHOST/", "blocked_address"],
    ["https://0x7f.1/", "blocked_address"],
    ["https://2130706433/", "blocked_address"],
    ["https://127.1/", "blocked_address"],
    ["https://017700000001/", "blocked_address"],
    ["https://①②⑦.⓪.⓪.①/", "blocked_address"],
    ["https://127。0。0。1/", "blocked_address"],
    ["https://0/", "blocked_address"],
    ["https://[::]/", "blocked_address"],
    ["https://[::1]/", "blocked_address"],
    ["https://[::ffff:127.0.0.1]/", "blocked_address"],
    ["https://[::ffff:8.8.8.8]/", "blocked_address"],
    ["https://169.254.169.254/latest/meta-data/", "blocked_address"],
    ["https://[fd00:ec2::254]/", "blocked_address"],
    ["https://10.0.0.1/", "blocked_address"],
  ])("%p is refused: %s", (text, problem) => {
    for (const policy of [live, sandbox]) expect(code(text, policy)).toBe(problem as "invalid_url");
  });

  test("can be 2048 characters long", () => {
    expect(code(`https://hooks.example/${"a".repeat(2026)}`, live)).toBeNull();
  });

  test("can be the developer's own machine", () => {
    for (const text of ["http://localhost:9000/", "http://127.0.0.1:9000/", "http://[::1]:9000/", "https://127.1/"]) {
      expect(code(text, laptop)).toBeNull();
      expect(code(text, sandbox)).toBe("blocked_address");
    }
    expect(code("http://0.0.0.0:9000/", laptop)).toBe("blocked_address");
    expect(code("http://192.168.1.9:9000/", laptop)).toBe("blocked_address");
    expect(code("http://192.168.1.9:9000/", { ...sandbox, openings: ranges(["192.168.0.0/16"]) })).toBeNull();
  });

  test("is checked without throwing, whatever the text", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.webUrl()), (text) => void urlProblem(text, live)));
  });
});
