// The forms of a resource: inputs, values and requests.
import { describe, expect, test } from "bun:test";
import type { ResourceFields } from "../../../../src/core/resource.ts";
import type { FormField } from "../../../../src/dashboard/web/components/fields.tsx";
import { bodyOf, valuesOf } from "../../../../src/dashboard/web/components/form_values.ts";
import { formFields } from "../../../../src/dashboard/web/components/resource_fields.ts";

const fields = {
  code: { kind: "code", max: 8, label: "Code" },
  notes: { kind: "notes", default: null, label: "Notes" },
  type: { kind: "choice", words: { one: "One", set: "Set" }, default: "one", label: "Type", fixed: true },
  parts: { kind: "list", of: {}, max: 9, default: [], label: "Parts", when: { type: "set" } },
  weight: { kind: "weight", unit: "unit", default: null, label: "Weight" },
  unit: { kind: "weight_unit", default: null },
  size: {
    kind: "group",
    fields: {
      length: { kind: "decimal", label: "Length" },
      unit: { kind: "choice", words: { cm: "Centimeters" }, label: "Unit", first: "cm" },
    },
    default: null,
  },
  price: { kind: "money", default: null, label: "Price" },
  currency: { kind: "currency", default: "USD" },
  days: { kind: "integer", min: 0, max: 9, default: 0, label: "Days", suffix: "days" },
  fragile: { kind: "flag", default: false, label: "Fragile" },
  origin: { kind: "country", default: null, label: "Origin" },
  status: { kind: "choice", words: { active: "Active" }, default: "active", label: "Status" },
} as const satisfies ResourceFields;

const inputs = (is_new: boolean) =>
  formFields(
    fields,
    [
      { title: "Basics", fields: ["code", "type", "parts", "notes", "price"] },
      { fields: ["weight", "size.length", "size.unit", "days", "fragile", "origin", "status"] },
    ],
    is_new,
    {
      parts: (common) => ({
        ...common,
        kind: "text",
        entered: (parts: readonly string[]) => parts.join(","),
        sent: (entered: string) => entered.split(","),
      }),
    },
  );
const first = valuesOf(inputs(true));
const bodyOfNew = (values: object) => bodyOf(inputs(true), { ...first, ...values });

const record = {
  ...{ code: "A", type: "set", parts: ["B", "C"], notes: "text", price: 12.5, currency: "EUR", weight: 2, unit: "lb" },
  ...{ size: { length: 3, unit: "cm" }, days: 4, fragile: true, origin: "PT", status: "active" },
};
const { currency: _currency, type: _type, ...shown } = record;
const empty = {
  ...{ code: "A", type: "one", notes: null, price: null, weight: null, unit: null, size: null, days: 0 },
  ...{ fragile: false, origin: null, status: "active" },
};

describe("forms", () => {
  test("what is shown is sent back unchanged, without what is fixed or not shown", () => {
    expect(bodyOf(inputs(false), valuesOf(inputs(false), record), record)).toEqual(shown);
  });

  test("an empty form sends the defaults, and hidden fields are not sent", () => {
    expect(bodyOfNew({ code: "A" })).toEqual(empty);
    expect(bodyOfNew({ code: "A", parts: "left over" })).toEqual(empty);
    expect(bodyOfNew(valuesOf(inputs(true), empty))).toEqual(empty);
  });

  test("a group is sent with what was entered in it, and a chosen unit alone is nothing", () => {
    expect(bodyOfNew({ "size.length": "2" })["size"]).toEqual({ length: 2, unit: "cm" });
    expect(bodyOfNew({ "size.unit": "cm" })["size"]).toBe(null);
  });

  test("text in a number field is sent as it is, so that the API reports it", () => {
    const body = bodyOfNew({ weight: "heavy", "size.length": "1,5", days: " 3 " });
    expect(body).toMatchObject({ weight: "heavy", unit: "lb", size: { length: "1,5" }, days: 3 });
  });

  test("a new record begins at the first field, and an existing one keeps what is fixed", () => {
    const shownOf = (is_new: boolean) =>
      inputs(is_new).map(({ kind, name, required, disabled }) => [kind, name, required === true, disabled === true]);
    expect(shownOf(true).slice(0, 4)).toEqual([
      ["heading", "Basics", false, false],
      ["text", "code", true, false],
      ["select", "type", true, false],
      ["text", "parts", false, false],
    ]);
    expect(shownOf(false)[2]).toEqual(["select", "type", true, true]);
    expect([true, false].map((is_new) => inputs(is_new).filter((field) => "focus" in field).length)).toEqual([1, 0]);
  });

  test("inputs that are no field of a resource: dates, addresses, and values that are left out", () => {
    const fields: FormField[] = [
      { kind: "date", name: "day", label: "Day" },
      { kind: "address", name: "address", label: "Address" },
      { kind: "text", name: "secret", label: "Secret", blank: undefined },
      { kind: "multi-select", name: "days", label: "Days", options: [] },
    ];
    expect(bodyOf(fields, valuesOf(fields))).toEqual({ day: null, address: null, days: [] });
    const address = { city: "Porto", state: null, country: "PT" };
    const values = valuesOf(fields, { day: "2026-01-31T12:00:00Z", address, days: ["mon"] });
    expect(bodyOf(fields, values)).toEqual({
      ...{ day: "2026-01-31", address: { city: "Porto", country: "PT" }, days: ["mon"] },
    });
    expect(bodyOf(fields, { ...values, address: { country: "PT" } })["address"]).toBe(null);
  });
});
