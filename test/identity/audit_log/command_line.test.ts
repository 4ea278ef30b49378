// Commands are recorded in the audit log.
import { expect, test } from "bun:test";
import { keyCommands } from "../../../src/cli/keys.ts";
import { userCommands } from "../../../src/cli/users.ts";
import { runOn } from "../../build/command.ts";
import { openApp } from "../../build/service.ts";

test("acts on keys of both environments and on users are recorded", async () => {
  const app = await openApp();
  const commands = { ...keyCommands, ...userCommands };
  for (const line of [
    "keys create --name shop --permission read --mode live",
    "keys create --name shop --permission read --mode test",
    "users create --email ann@example.com --name Ann",
    "users reset --user ann@example.com --second-factor",
    "users disable --user ann@example.com",
  ]) {
    const [group, name, ...words] = line.split(" ");
    await runOn(app.service.stores, commands[`${group} ${name}`], words);
  }
  const kept = (await app.get("/audit?actor=command_line")).body.data;
  const told = kept.map(({ action, mode, status }: Record<string, unknown>) => [action, mode, status]).toReversed();
  expect(told).toEqual([
    ["createKey", "live", null],
    ["createKey", "test", null],
    ["createUser", "live", null],
    ["makeResetLink", "live", null],
    ["updateUser", "live", null],
  ]);
  expect(kept[0].targets).toEqual([expect.stringMatching(/^usr_/)]);
});
