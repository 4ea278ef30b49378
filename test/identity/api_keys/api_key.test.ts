import { expect, test } from "bun:test";
import { environmentOfKey, keyText } from "../../../src/identity/api_keys/api_key.ts";

const known = "ph_test_0000000000000000000000000000002jKTnv";

test("a known key is read as what it is", () => {
  expect(environmentOfKey(known)).toBe("test");
  expect(keyText("test", new Uint8Array(30))).toBe(known);
});

test("a new key has its mode, and every change of a letter shows", () => {
  for (const mode of ["live", "test"] as const) {
    const text = keyText(mode, crypto.getRandomValues(new Uint8Array(96)));
    expect(text).toMatch(new RegExp(`^ph_${mode}_[0-9A-Za-z]{36}$`));
    expect(environmentOfKey(text)).toBe(mode);
    for (let at = 0; at < text.length; at += 1) {
      const other = text[at] === "x" ? "y" : "x";
      expect(environmentOfKey(text.slice(0, at) + other + text.slice(at + 1))).toBeNull();
    }
  }
});

test.each(["", "ph_live_", known.slice(0, -1), `${known}0`, known.toUpperCase(), `${known}\n`, ` ${known}`])(
  "%j is no key",
  (text) => {
    expect(environmentOfKey(text)).toBeNull();
  },
);

test("bytes that would favour some letters are passed over, and too few of the others are refused", () => {
  const odd = new Uint8Array(60).fill(255);
  expect(() => keyText("live", odd)).toThrow(RangeError);
  odd.set(new Uint8Array(30), 20);
  expect(keyText("live", odd)).toMatch(/^ph_live_0{30}/);
});
