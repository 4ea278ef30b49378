// `packhouse users …` alongside a running service.
import { expect, test } from "bun:test";
import { userCommands } from "../../src/cli/users.ts";
import { openApp } from "../build/service.ts";

const app = await openApp();

/** Runs a command and returns its output. */
async function run(name: keyof typeof userCommands, given: object): Promise<string[]> {
  const lines: string[] = [];
  const stores = { ...app.service.stores, close: async () => {} } as never;
  const voice = { print: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) };
  await userCommands[name]?.run(stores, given as never, voice);
  return lines;
}

test("creates a user of the operator and one of a merchant, and lists both with their memberships", async () => {
  await app.post("/merchants", { code: "ACME", name: "Acme" });
  const person = { name: "Mia", json: true };
  await run("create", { ...person, email: "mia@packhouse.test", role: "viewer" });
  await run("create", { ...person, email: "max@packhouse.test", role: "owner", merchant: "ACME" });
  const listed = (await run("list", { json: true })).map((line) => JSON.parse(line));
  expect(listed.map(({ role, memberships }) => [role, memberships])).toEqual([
    ["viewer", [{ merchant: null, role: "viewer", status: "active" }]],
    ["owner", [{ merchant: "ACME", role: "owner", status: "active" }]],
  ]);
  expect((await run("list", { json: false })).map((line) => line.replace(/ +/g, " "))).toEqual([
    "usr_1001 viewer mia@packhouse.test Mia",
    "usr_1002 owner max@packhouse.test Mia (owner at ACME)",
  ]);
  const [entry] = (await app.get("/audit?action=createUser")).body.data;
  expect(entry.facts).toEqual({ role: "owner", merchant_id: "ACME" });
});

test("refuses an unknown merchant, and the role floor at a merchant", async () => {
  const person = { email: "new@packhouse.test", name: "New", json: true };
  await expect(run("create", { ...person, role: "office", merchant: "NONE" })).rejects.toThrow("No such merchant");
  await expect(run("create", { ...person, role: "floor", merchant: "ACME" })).rejects.toThrow("at a merchant");
  expect((await run("list", { json: true })).length).toBe(2);
});
