import { describe, expect, test } from "bun:test";
import { chooseDefault, emailKey } from "../../src/customers/customer.ts";

describe("the default address", () => {
  const wish = (is_default: boolean | undefined, was_default = false) => ({ is_default, was_default });
  const choose = (...wishes: ReturnType<typeof wish>[]) => chooseDefault(wishes, (index) => `[${index}].`);

  test("is the marked one, otherwise the previous one, otherwise the first", () => {
    expect(choose()).toBeNull();
    expect(choose(wish(undefined), wish(undefined))).toBe(0);
    expect(choose(wish(undefined, true), wish(true))).toBe(1);
    expect(choose(wish(undefined), wish(undefined, true))).toBe(1);
    expect(choose(wish(undefined), wish(false, true))).toBe(0);
    expect(choose(wish(false))).toBe(0);
  });

  test("cannot be two addresses", () => {
    expect(() => choose(wish(true), wish(true))).toThrow("[1].is_default is true for more than one address.");
  });
});

test("email addresses are compared ignoring case and composition of letters", () => {
  expect(emailKey("Zoë@Example.com")).toBe(emailKey("ZOE\u0308@example.COM"));
});
