// `packhouse users …` alongside a running service.
import { expect, test } from "bun:test";
import { userCommands } from "../../src/cli/users.ts";
import { runOn } from "../build/command.ts";
import { openApp } from "../build/service.ts";

const app = await openApp();

const run = (name: string, ...words: string[]) => runOn(app.service.stores, userCommands[`users ${name}`], words);
const create = (name: string, email: string, ...words: string[]) =>
  run("create", "--name", name, "--email", `${email}@packhouse.test`, "--json", "--role", ...words);

test("creates a user of the operator and one of a merchant, and lists both with their memberships", async () => {
  await app.post("/merchants", { code: "ACME", name: "Acme" });
  await create("Mia", "mia", "viewer");
  await create("Mia", "max", "owner", "--merchant", "ACME");
  const listed = (await run("list", "--json")).map((line) => JSON.parse(line));
  expect(listed.map(({ role, memberships }) => [role, memberships])).toEqual([
    ["viewer", [{ merchant: null, role: "viewer", status: "active" }]],
    ["owner", [{ merchant: "ACME", role: "owner", status: "active" }]],
  ]);
  expect((await run("list")).map((line) => line.replace(/ +/g, " "))).toEqual([
    "usr_1001 viewer mia@packhouse.test Mia",
    "usr_1002 owner max@packhouse.test Mia (owner at ACME)",
  ]);
  const [entry] = (await app.get("/audit?action=createUser")).body.data;
  expect(entry.facts).toEqual({ role: "owner", merchant_id: "ACME" });
});

test("refuses an unknown merchant, and the role floor at a merchant", async () => {
  await expect(create("New", "new", "office", "--merchant", "NONE")).rejects.toThrow("No such merchant");
  await expect(create("New", "new", "floor", "--merchant", "ACME")).rejects.toThrow("at a merchant");
  expect((await run("list", "--json")).length).toBe(2);
});
