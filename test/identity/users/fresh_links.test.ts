// Links created by a command while the server's reads still show older data.
import { expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults.ts";
import { makeLink } from "../../../src/identity/users/users.ts";
import type { Store } from "../../../src/storage/database.ts";
import { openApp } from "../../build/service.ts";

test("a link works immediately, even if reads do not show its commit yet", async () => {
  let is_behind = false;
  const through = (store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        if (name === "read" && is_behind && target.mode === "live") {
          // The result of a read that shows the older data.
          return () => Promise.reject(new Fault("invalid_link", "There is no such link yet."));
        }
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const app = await openApp({ through });
  const { live } = app.service.stores;
  const token = await live.write((tx) => makeLink(tx, "setup", null, crypto.getRandomValues(new Uint8Array(32))));
  const invited = (await app.post("/invitations", { email: "gil@packhouse.test", role: "floor" })).body.data;
  const ask = (path: string, body: unknown) => app.call("POST", `/dashboard/api/${path}`, body, { key: null });
  const person = { name: "Ola Owner", email: "ola@packhouse.test", password: "correct horse battery" };
  is_behind = true;
  const answers = [
    await ask("invitations/look", { token: invited.link.split("#")[1] }),
    await ask("setup", { token, ...person }),
    await ask("setup", { token: "wrong", ...person }),
  ];
  is_behind = false;
  expect(answers.map(({ status }) => status)).toEqual([200, 201, 401]);
});
