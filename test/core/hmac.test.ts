import { expect, test } from "bun:test";
import { equalInConstantTime, hmacBase64, hmacHex } from "../../src/core/crypto.ts";

test("hexadecimal and base64 match published test vectors", () => {
  expect(hmacHex("It's a Secret to Everybody", "Hello, World!")).toBe(
    "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
  );
  expect(hmacBase64("hush", '{"id":1}')).toBe("VnKUjZsLuN5iZWjn5EntcBVCF9kMN43LglzCE1/GSeY=");
});

test("texts of any length compare without throwing", () => {
  expect(equalInConstantTime("", "")).toBe(true);
  expect(equalInConstantTime("abc", "abc")).toBe(true);
  expect(equalInConstantTime("abc", "abd")).toBe(false);
  expect(equalInConstantTime("abc", "abcd")).toBe(false);
  expect(equalInConstantTime("é", "é".normalize("NFD"))).toBe(false);
});
