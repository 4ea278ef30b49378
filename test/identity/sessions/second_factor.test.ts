// The codes of the second factor, without a database.
import { describe, expect, test } from "bun:test";
import {
  periodOfCode,
  recoveryCode,
  recoveryHash,
  secretText,
  setupAddress,
} from "../../../src/identity/sessions/second_factor.ts";

// RFC 6238, appendix B: the secret "12345678901234567890" and its codes, of which apps show the last six digits.
const secret = secretText(Buffer.from("12345678901234567890"));
const vectors: readonly (readonly [seconds: number, code: string])[] = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
];

describe("codes of an app", () => {
  test.each(vectors)("at %d seconds is %s", (seconds, code) => {
    const period = Math.floor(seconds / 30);
    const at = (shift: number, last = 0) => periodOfCode(secret, code, (seconds + shift) * 1000, last);
    expect([at(0), at(30), at(-30)]).toEqual([period, period, period]);
    expect([at(61), at(-61)]).toEqual([null, null]);
    // Once used, neither it nor an older one is accepted again.
    expect([at(0, period), at(0, period - 1)]).toEqual([null, period]);
  });

  test("any other text is not a code", () => {
    for (const code of ["", "28708", "2870820", "28708a", " 287082", "２８７０８２"]) {
      expect(periodOfCode(secret, code, 59_000, 0)).toBe(null);
    }
  });

  test("an app reads the secret and a label from the QR code", () => {
    const address = new URL(setupAddress(secret, "ana@example.com"));
    expect([address.protocol, address.host]).toEqual(["otpauth:", "totp"]);
    expect(decodeURIComponent(address.pathname)).toBe("/Packhouse:ana@example.com");
    const { secret: told, digits, period, algorithm } = Object.fromEntries(address.searchParams);
    expect({ told, digits, period, algorithm }).toEqual({ told: secret, digits: "6", period: "30", algorithm: "SHA1" });
  });
});

describe("recovery codes", () => {
  const code = recoveryCode(Buffer.from("0f1e2d3c4b5a69788796a5b4c3d2e1f0", "hex"));

  test("consist of groups of unambiguous letters", () => {
    expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/);
  });

  test("are recognized with any spacing and case, and others are not", () => {
    const hash = recoveryHash(code);
    const typed = [code.toUpperCase(), code.replaceAll("-", ""), ` ${code.replaceAll("-", " ")} `];
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(typed.map(recoveryHash)).toEqual([hash, hash, hash]);
    expect(recoveryHash("OIL0-0000-0000-0000")).toBe(recoveryHash("0110-0000-0000-0000"));
    expect([recoveryHash(code.slice(1)), recoveryHash("uuuu-uuuu-uuuu-uuuu"), recoveryHash("287082")]).toEqual([
      ...[null, null, null],
    ]);
  });
});
