import { describe, expect, test } from "bun:test";
import { openApp } from "../build/service.ts";

const app = await openApp();

const headers = { "content-type": "text/csv" };
const imports = (text: string, query = "") => app.call("POST", `/customers/import${query}`, text, { headers });
const customer = async (email: string) => (await app.get(`/customers?email=${encodeURIComponent(email)}`)).body.data[0];
const head = "email,first_name,last_name,company,phone,address_line1,address_line2,city,state,postal_code,country";
const ana = "ana@example.com,Ana,Cruz,,+1 503 555 0100,12 Elm St,Apt 3,Portland,OR,97201,US";

describe("works", () => {
  test("new customers are created, others updated if they differ, and a second import changes nothing", async () => {
    const file = `${head}\n${ana}\nben@example.com,Ben,,Ben Ltd.,,,,,,,\n`;
    const { status, body } = await imports(file);
    expect([status, body.data]).toEqual([
      200,
      { rows: 2, created: 2, updated: 0, unchanged: 0, failed: 0, errors: [] },
    ]);
    expect(await customer("ana@example.com")).toMatchObject({
      first_name: "Ana",
      phone: "+1 503 555 0100",
      shipping_addresses: [{ name: "Ana Cruz", address_line2: "Apt 3", postal_code: "97201", is_default: true }],
    });
    expect((await customer("ben@example.com")).shipping_addresses).toEqual([]);
    expect((await imports(file)).body.data).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
    expect(await app.takeEvents()).toEqual([]);
  });

  test("a row that states the street replaces the default address; empty cells change no address", async () => {
    await imports(`${head}\n${ana.replace("ana@", "move@")}\n`);
    const { id } = await customer("move@example.com");
    await app.post(`/customers/${id}/addresses`, {
      address_line1: "1 Pine St",
      city: "Salem",
      state: "OR",
      postal_code: "97301",
      country: "US",
    });
    const row = "MOVE@example.com,Ana,Cruz,,+1 503 555 0100,9 Oak Ave,,Salem,OR,97301,US";
    expect((await imports(`${head}\n${row}`)).body.data).toMatchObject({ updated: 1, failed: 0 });
    const moved = (await app.get(`/customers/${id}`)).body;
    expect(moved.shipping_addresses).toMatchObject([
      { address_line1: "9 Oak Ave", address_line2: null, city: "Salem", is_default: true },
      { address_line1: "1 Pine St" },
    ]);
    expect(moved.email).toBe("move@example.com");
    expect((await imports("email,first_name,city\nmove@example.com,Anna,")).body.data).toMatchObject({ updated: 1 });
    expect(await customer("move@example.com")).toMatchObject({
      first_name: "Anna",
      last_name: "Cruz",
      shipping_addresses: [{ city: "Salem" }, {}],
    });
  });

  test("a dry run reports the changes before and after, and changes nothing", async () => {
    await imports(`${head}\n${ana.replace("ana@", "dry@")}\n`);
    const before = (await app.get("/customers/export.csv")).body;
    const file = `${head}\n${ana.replace("ana@", "dry@").replace("Apt 3", "Apt 4")}\n${ana.replace("ana@", "new@")}`;
    const { data } = (await imports(file, "?dry_run=true")).body;
    expect(data).toMatchObject({ created: 1, updated: 1, failed: 0, dry_run: true });
    expect(data.changes[0]).toEqual({
      line: 2,
      name: "dry@example.com",
      change: "updated",
      fields: [{ field: "address_line2", from: "Apt 3", to: "Apt 4" }],
    });
    expect((await app.get("/customers/export.csv")).body).toBe(before);
    expect((await imports(before)).body.data).toMatchObject({ created: 0, updated: 0, failed: 0 });
  });
});

describe("refuses", () => {
  test("a bad row fails alone, with the column that is wrong", async () => {
    const file = [
      head,
      "bad-country@example.com,,,,,1 A St,,Rome,,00100,Italy",
      "no-city@example.com,,,,,1 A St,,,OR,97201,US",
      "no-street@example.com,,,,,,,Portland,OR,97201,US",
      "not an address,,,,,,,,,,",
      "twice@example.com,,,,,,,,,,",
      "Twice@example.com,,,,,,,,,,",
    ].join("\n");
    const { data } = (await imports(file)).body;
    expect(data).toMatchObject({ created: 1, failed: 5 });
    expect(data.errors.map(({ line, field }: { line: number; field: string }) => [line, field])).toEqual([
      [2, "country"],
      [3, "city"],
      [4, "address_line1"],
      [5, "email"],
      [7, "email"],
    ]);
    expect(await customer("no-city@example.com")).toBeUndefined();
  });
});
