import { expect, test } from "bun:test";
import fc from "fast-check";
import { storedDays } from "../../../../../src/dashboard/web/screens/reports/stored_days.ts";

const columns = ["business_date", "merchant_id", "sku", "units_at_close", "units_peak", "unit_volume_cm3"] as const;

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

test("storage by day is the sum of the file's rows, whatever they contain", () => {
  const row = fc.record({
    business_date: fc.constantFrom("2026-01-30", "2026-01-31", "2026-02-01"),
    merchant_id: fc.constantFrom("mer_1", "mer_2"),
    sku: fc.oneof(fc.string(), fc.constantFrom("TEA", 'a"b', "a,b", "a\r\nb", "")),
    units_at_close: fc.nat(1000),
    units_peak: fc.nat(1000),
    unit_volume_cm3: fc.option(fc.nat(1000), { nil: "" }),
  });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
      const lines = rows.map((one) => columns.map((name) => quoted(String(one[name]))).join(","));
      const { days, of } = storedDays(`\uFEFF${[columns.join(","), ...lines, ""].join("\r\n")}`);
      const sum = (all: typeof rows, what: (one: (typeof rows)[number]) => number) =>
        all.reduce((total, one) => total + what(one), 0);
      const expected = [...new Set(rows.map((one) => one.business_date))].sort().map((day) => {
        const own = rows.filter((one) => one.business_date === day);
        return {
          day,
          units: sum(own, (one) => one.units_at_close),
          peak: sum(own, (one) => one.units_peak),
          places: own.length,
          cm3: sum(own, (one) => one.units_at_close * Number(one.unit_volume_cm3)),
        };
      });
      expect([...days]).toEqual(expected);
      for (const [merchant, units] of of) {
        const own = rows.filter((one) => one.merchant_id === merchant);
        expect([...units.values()].reduce((total, one) => total + one, 0)).toBe(sum(own, (one) => one.units_at_close));
      }
    }),
  );
});
