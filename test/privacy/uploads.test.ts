// Uploaded files, mappings of their columns and saved views are erased and exported with the person whom they name.
import { expect, setDefaultTimeout, test } from "bun:test";
import { fileImportsSettled, importFiles } from "../../src/imports/file_imports.jobs.ts";
import { eraseDue } from "../../src/privacy/privacy.jobs.ts";
import { type Caller, openApp } from "../build/service.ts";
import { signedInAs } from "../identity/people.ts";
import { placesOf } from "./tables.ts";

setDefaultTimeout(60_000);

const app = await openApp();
const { live } = app.service.stores;
const clerk = await signedInAs(app.service, "owner", "Olive");

interface Records {
  readonly records: readonly { readonly records: string; readonly rows: readonly Record<string, unknown>[] }[];
}
const rowsIn = ({ records }: Records, kind: string) => records.find((one) => one.records === kind)?.rows ?? [];

const upload = (kind: string, text: string, query = "", by: Caller = {}) =>
  app.must("POST", `/imports?kind=${kind}${query}`, text, {
    ...by,
    headers: { "content-type": "text/csv", ...by.headers },
  });

const saveView = async (name: string, params: object) => {
  const asked = { key: null, headers: clerk.headers };
  const { status } = await app.call("POST", "/dashboard/api/views", { list: "orders", name, params }, asked);
  expect(status).toBe(201);
};
const views = async () => {
  const { body } = await app.call("GET", "/dashboard/api/views?list=orders", undefined, {
    key: null,
    headers: clerk.headers,
  });
  return body.data.map(({ name }: { name: string }) => name).sort();
};
const customers = async (email: string) => (await app.get(`/customers?email=${email}`)).body.data;

test("files, mappings and saved views that name a person are exported and erased, and no others", async () => {
  const email = "zoe.quill@example.com";
  await app.must("POST", "/customers", { email, first_name: "Zoe", last_name: "Quill" });
  const file = `email,first_name,company\n${email},Zoe,Quillworks\nother@example.com,Ben,Inkwell\n`;
  const read = await upload("customers", file, "&file_name=quillfile.csv");
  // Without a header line, its columns are named after a person.
  const bare = await upload("customers", `${email},Quillhome\nthird@example.com,Pen\n`);
  await app.must("POST", `/imports/${bare.id}/check`, { map: `${email}:email,Quillhome:first_name` });
  const plain = await upload("customers", "Mail,Given\nfourth@example.com,Dee\n", "&map=Mail:email,Given:first_name");
  await app.runJobs();
  await saveView("Zoe Quill's orders", { status: "pending" });
  await saveView("By address", { q: `from:${email.toUpperCase()}` });
  await saveView("By name", { q: "zoe quill" });
  await saveView("Another Zoe", { q: "zoe quills" });

  const told: Records = await app.must("POST", "/disclosures", { email });
  expect(rowsIn(told, "uploads").map(({ file_name }) => file_name)).toEqual(["quillfile.csv", undefined]);
  expect(rowsIn(told, "imported_files")).toMatchObject([
    { line: 2, cells: [email, "Zoe", "Quillworks"] },
    { line: 1, cells: [email, "Quillhome"] },
  ]);
  expect(rowsIn(told, "imported_rows")).toMatchObject([{ line: 2, change: "updated", row: { name: email } }]);
  expect(rowsIn(told, "column_mappings")).toHaveLength(1);
  expect(
    rowsIn(told, "saved_views")
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...["By address", "By name", "Zoe Quill's orders"]]);
  for (const other of ["other@example.com", "third@example.com", "fourth@example.com", "Another"]) {
    expect(JSON.stringify(told)).not.toContain(other);
  }

  const { id } = await app.must("POST", "/erasures", { email });
  await app.runJobs();
  const { status, erased } = (await app.get(`/erasures/${id}`)).body.data;
  expect(status).toBe("done");
  expect(erased).toContainEqual({ records: "uploads", count: 3 });
  expect(erased).toContainEqual({ records: "column_mappings", count: 1 });
  expect(erased).toContainEqual({ records: "saved_views", count: 3 });
  expect(await views()).toEqual(["Another Zoe"]);
  const left = await live.read((db) => placesOf(db, ["quillfile", "quillhome", "quillworks", "zoe quill(?!s)", email]));
  expect(left.filter((place) => !place.startsWith("request_blocks."))).toEqual([]);
  for (const one of [read, bare, plain]) {
    expect((await app.get(`/imports/${one.id}`)).body.data).toMatchObject({
      ...{ status: "cancelled", columns: [], map: null, file_name: null, first_rows: [] },
      problem: { message: expect.stringContaining("person is being erased") },
    });
  }
  // The mapping of another file is still known.
  expect(await upload("customers", "Mail,Given\nfifth@example.com,Eve\n")).toMatchObject({ remembered: true });
});

test("an import that runs during an erasure does not store the person again", async () => {
  const email = "again@example.com";
  await app.must("POST", "/customers", { email });
  const rows = Array.from({ length: 600 }, (_, at) => `row${at}@example.com`);
  const it = await upload("customers", ["email", ...rows, email].join("\n"));
  const goods = await upload("products", "sku,name\nDURING-1,Tea\n");
  await app.runJobs();
  await app.must("POST", `/imports/${it.id}/run`);
  await importFiles(live, app.service);
  const shown = async (): Promise<{ rows_done: number }> => (await app.get(`/imports/${it.id}`)).body.data;
  while ((await shown()).rows_done < 50) await Bun.sleep(0);
  await app.must("POST", "/erasures", { email });
  // It starts and erases the customer. The import then has the time to reach the last row.
  for (let round = 0; round < 2; round += 1) await eraseDue(live, app.service);
  expect(await customers(email)).toEqual([]);
  await fileImportsSettled(live);
  await app.runJobs();
  expect(await customers(email)).toEqual([]);
  expect(await shown()).toMatchObject({ status: "cancelled", file_name: null });
  expect((await shown()).rows_done).toBeLessThan(601);
  expect((await app.get(`/imports/${goods.id}`)).body.data).toMatchObject({
    status: "checked",
    columns: ["sku", "name"],
  });
});

test("an erasure leaves the files of other merchants, whose users see no saved views of others", async () => {
  for (const code of ["ONE", "TWO"]) await app.must("POST", "/merchants", { code, name: code });
  const by = (code: string): Caller => ({ headers: { "packhouse-merchant": code } });
  const email = "shared@example.com";
  await saveView("Of the operator", { q: email });
  // A customer of a merchant may be called like a view of the operator.
  await saveView("Late Orders", { status: "pending" });
  await app.must("POST", "/customers", { email, first_name: "Late", last_name: "Orders" }, by("ONE"));
  const { key } = await app.must("POST", "/keys", { name: "two", permission: "full", merchant_id: "TWO" });
  const [own, other] = [
    await upload("customers", `email\n${email}\n`, "", by("ONE")),
    await upload("customers", `email\n${email}\n`, "", by("TWO")),
  ];
  await app.runJobs();
  const told: Records = await app.must("POST", "/disclosures", { email }, { key });
  expect(rowsIn(told, "imported_files")).toMatchObject([{ line: 2, cells: [email] }]);
  expect(rowsIn(told, "saved_views")).toEqual([]);
  await app.must("POST", "/erasures", { email }, by("ONE"));
  await app.runJobs();
  expect((await app.get(`/imports/${own.id}`)).body.data.status).toBe("cancelled");
  expect(await views()).toEqual(["Another Zoe", "Late Orders"]);
  expect((await app.get(`/imports/${other.id}`)).body.data).toMatchObject({ status: "checked", first_rows: [[email]] });
});
