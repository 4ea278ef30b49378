// Commands are recorded in the audit log.
import { expect, test } from "bun:test";
import { keyCommands } from "../../../src/cli/keys.ts";
import { userCommands } from "../../../src/cli/users.ts";
import { openApp } from "../../build/service.ts";

test("acts on keys of both environments and on users are recorded", async () => {
  const app = await openApp();
  const stores = { ...app.service.stores, close: async () => {} } as never;
  const voice = { print: () => {}, warn: () => {} };
  const create = { name: "shop", permission: "read" };
  await keyCommands["create"]?.run(stores, { ...create, mode: "live" } as never, voice);
  await keyCommands["create"]?.run(stores, { ...create, mode: "test" } as never, voice);
  await userCommands["create"]?.run(stores, { email: "ann@example.com", name: "Ann", role: "office" } as never, voice);
  await userCommands["reset"]?.run(stores, { user: "ann@example.com", "second-factor": true } as never, voice);
  await userCommands["disable"]?.run(stores, { user: "ann@example.com" } as never, voice);
  const kept = (await app.get("/audit?actor=command_line")).body.data;
  const told = kept.map(({ action, world, status }: Record<string, unknown>) => [action, world, status]).toReversed();
  expect(told).toEqual([
    ["createKey", "live", null],
    ["createKey", "test", null],
    ["createUser", "live", null],
    ["makeResetLink", "live", null],
    ["updateUser", "live", null],
  ]);
  expect(kept[0].targets).toEqual([expect.stringMatching(/^usr_/)]);
});
