import { expect, test } from "bun:test";
import { environmentOfKey, keyText } from "../../../src/identity/api_keys/api_key.ts";

const known = "ph_test_0000000000000000000000000000002jKTnv";

test("a known key is parsed", () => {
  expect(environmentOfKey(known)).toBe("test");
  expect(keyText("test", new Uint8Array(30))).toBe(known);
});

test("a new key has its environment, and any changed letter is detected", () => {
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
  "%j is not a key",
  (text) => {
    expect(environmentOfKey(text)).toBeNull();
  },
);

test("bytes that would favor some letters are skipped, and too few others are refused", () => {
  const odd = new Uint8Array(60).fill(255);
  expect(() => keyText("live", odd)).toThrow(RangeError);
  odd.set(new Uint8Array(30), 20);
  expect(keyText("live", odd)).toMatch(/^ph_live_0{30}/);
});
