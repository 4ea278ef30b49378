// Addresses had no company of their own; those of before get their customer's.
import { expect, test } from "bun:test";
import { openOlder } from "./older.ts";

test("a migration gives addresses of before their customer's company, unless the name says it", async () => {
  const older = await openOlder("0028_address_company");
  const companies = ["' Tea & Co '", "null", "'  '", "'Alpine'"];
  for (const [at, company] of companies.entries()) {
    await older.run(`insert into customers (id, email, email_key, company, metadata, version, created_at, updated_at)
      values (${at + 1}, 'a${at}@example.com', 'a${at}@example.com', ${company}, '{}', 1, 1, 1)`);
  }
  const names = [
    [1, "I. Holm"],
    [1, "I. Holm, Tea & Co"],
    [2, "Ann"],
    [3, "Bo"],
    [4, "Alpine"],
    [4, "Dock 4"],
  ] as const;
  for (const [at, [customer_id, name]] of names.entries()) {
    await older.run(`insert into addresses (id, customer_id, name, address_line1, city, country, is_default,
      is_verified, created_at, updated_at)
      values (${at + 1}, ${customer_id}, '${name}', '1 Quay', 'Bremen', 'DE', false, false, 1, 1)`);
  }
  await older.migrate();
  const kept = await older.all("select company from addresses order by id");
  expect(kept.flat()).toEqual(["Tea & Co", null, null, null, null, "Alpine"]);
  await older.close();
});
