import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { csvLine } from "../../src/kit/csv.ts";

test("a record is written as RFC 4180 has it", () => {
  expect(csvLine(["a", 1, true, null, ""])).toBe("a,1,true,,\r\n");
  expect(csvLine(['6" pipe, copper', "two\r\nlines", " padded "])).toBe(
    '"6"" pipe, copper","two\r\nlines"," padded "\r\n',
  );
});

test("whatever is written reads back the same", () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", " ", "a", "é") }));
  const records = fc.array(fc.array(text, { minLength: 2, maxLength: 2 }), { minLength: 1 });
  fc.assert(
    fc.property(records, (rows) => {
      const read = parse(rows.map(csvLine).join(""), { record_delimiter: "\r\n", relax_column_count: true });
      expect(read).toEqual(rows);
    }),
    { seed: 11 },
  );
});
