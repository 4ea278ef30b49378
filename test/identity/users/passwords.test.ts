// Passwords that attackers try first.
import { describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { commonPasswords, packed_file } from "../../../scripts/common_passwords.ts";
import { weakness } from "../../../src/identity/users/passwords.ts";
import { openApp } from "../../build/service.ts";

const common = new Set((await commonPasswords()).split("\n"));
const chooser = { email: "ola.nordmann@harbour-kitchen.example", name: "Ola Nordmann" };

test.each([
  ...["1q2w3e4r5t6y", "UNBELIEVABLE", "password1234", "!!Password!!2026", "dragon-1234567", "passwordpassword"],
  ...["aaaaaaaaaaaa", "abcabcabcabc", "123456789012", "qwertyuiopas", "zyxwvutsrqpo", "Packhouse2026!"],
  ...["nordmann123456", "ola nordmann 1", "ola.nordmann@harbour-kitchen.example", "harbour-kitchen-1"],
])("%s is refused", (password) => {
  expect(weakness(password, common, chooser)).toBeString();
});

test.each([
  "correct horse battery",
  "tea at four on the quay",
  "Nordmann likes tall ships",
  "x9-Vb2!qLr7&pT",
  "密码密码测试一二三四五六七",
])("%s is accepted", (password) => {
  expect(weakness(password, common, chooser)).toBeNull();
});

test("the compressed list is that of the package", async () => {
  expect(gunzipSync(await Bun.file(packed_file).bytes()).toString()).toBe(await commonPasswords());
});

describe("every way to set a password", () => {
  test("refuses a common one, and names the field", async () => {
    const app = await openApp();
    const invited = (await app.post("/invitations", { email: "gil@packhouse.test", role: "floor" })).body.data;
    const token = invited.link.split("#")[1];
    const accept = (password: string) =>
      app.call("POST", "/dashboard/api/invitations/accept", { token, name: "Gil", password }, { key: null });
    const refused = await accept("password1234");
    expect([refused.status, refused.body.error.details[0]]).toMatchObject([
      422,
      { field: "password", code: "common_password" },
    ]);
    const made = await accept("correct horse battery");
    expect(made.status).toBe(201);
    const cookie = (made.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const change = { current_password: "correct horse battery", password: "gilgilgilgil" };
    const changed = await app.call("POST", "/users/me/password", change, { key: null, headers: { cookie } });
    expect([changed.status, changed.body.error?.code]).toEqual([422, "validation_failed"]);
  });
});
