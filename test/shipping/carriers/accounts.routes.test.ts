import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { carrier_accounts } from "../../../db/schema/carrier_accounts.ts";
import { Fault } from "../../../src/core/faults.ts";
import { hour_ms } from "../../../src/core/time.ts";
import { renewSecretKey } from "../../../src/server/secret_key.ts";
import { callbackSecretsOf } from "../../../src/shipping/carriers/account.ts";
import { getAccount, listActiveAccounts } from "../../../src/shipping/carriers/accounts.sql.ts";
import { overrideCarriers } from "../../../src/shipping/carriers/connectors.ts";
import { openApp } from "../../build/service.ts";
import { fieldsOf } from "../../build/shop.ts";
import { fake_listing, fakeCarrier } from "./fake_carrier.ts";

setDefaultTimeout(60_000);

const fake = fakeCarrier();
const silent = { ...fakeCarrier("silent").connector, capabilities: new Set(["rating"] as const) };
const app = await openApp();
overrideCarriers(app.service, { fake: fake.connector, silent }, 100);

const place = "/shipping/carrier_accounts";
// A public address that needs no resolving; nothing is ever sent there.
const api_url = "https://93.184.216.34";
let made = 0;
const key = () => `fake_key_0000000000${++made}`.slice(-24);

/** Adds an account of the fake carrier with its own key. */
const add = (fields: object = {}) =>
  app.create(place, { connector: "fake", credentials: { api_key: key() }, ...fields });
const at = (id: string) => `${place}/${id}`;

describe("works", () => {
  test("connectors list the fields that an account needs", async () => {
    const { connectors } = (await app.get("/shipping/connectors")).body.data;
    expect(connectors).toMatchObject([
      { code: "fake", name: "Fake Parcels", takes_callbacks: true },
      { code: "silent", takes_callbacks: false },
    ]);
    const account = await add();
    const fields = account.credential_fields.map(({ name }: { name: string }) => name);
    expect(connectors[0].credential_fields.map(({ name }: { name: string }) => name)).toEqual(fields);
  });

  test("an account is added, shown without its secrets, changed and found", async () => {
    const credentials = { api_key: "fake_key_with_the_end_1234", account: "A-17", api_url };
    const answer = await app.post(place, { connector: "fake", credentials });
    expect(answer.status).toBe(201);
    const { callback_secret, ...account } = answer.body.data;
    expect({ ...account }).toMatchObject({
      id: expect.stringMatching(/^cac_\d+$/),
      connector: "fake",
      name: "Fake Parcels",
      status: "active",
      revision: 1,
      callback_url: expect.stringMatching(
        /^http:\/\/packhouse\.test\/v1\/webhooks\/carriers\/fake\?account=live_\w{32}$/,
      ),
      has_callback_secret: true,
      carriers: [],
      last_test: null,
    });
    expect(account.credential_fields.map(({ description: _, ...field }: { description: string }) => field)).toEqual([
      { name: "api_key", required: true, secret: true, is_set: true, value: null, last_four: "1234" },
      { name: "api_url", required: false, secret: false, is_set: true, value: api_url, last_four: null },
      { name: "account", required: false, secret: false, is_set: true, value: "A-17", last_four: null },
    ]);
    expect(callback_secret.length).toBeGreaterThanOrEqual(32);
    expect((await app.get(at(account.id))).body.data).toEqual(account);
    // The response of a GET can be sent back, and equal secrets are not a change.
    expect((await app.patch(at(account.id), account)).body.data).toEqual(account);
    expect((await app.patch(at(account.id), { credentials, callback_secret })).body.data).toEqual(account);
    const changed = await app.patch(at(account.id), { name: "Ours", status: "paused", credentials: { account: null } });
    expect(changed.body.data).toMatchObject({ name: "Ours", status: "paused", revision: 2 });
    expect(changed.body.data.credential_fields[2]).toMatchObject({ is_set: false, value: null });
    expect((await app.get(place)).body.data).toContainEqual(changed.body.data);
  });

  test("a test calls the carrier with the decrypted credentials and stores its services, or the failure", async () => {
    const api_key = key();
    const { id, revision } = await add({ credentials: { api_key, account: "A-1" } });
    const tested = await app.post(`${at(id)}/test`);
    expect(tested.status).toBe(200);
    expect(fake.asked.at(-1)).toMatchObject({ what: "check", ctx: { credentials: { api_key, account: "A-1" } } });
    const tested_at = new Date(app.clocks.live.now()).toISOString();
    expect(tested.body.data).toMatchObject({
      carriers: fake_listing,
      revision,
      last_test: { tested_at, ok: true, code: null, message: null },
    });
    fake.check = async () => {
      throw new Fault("carrier_unauthorized", `The fake does not know the key ${api_key}.`);
    };
    const failed = await app.post(`${at(id)}/test`);
    expect([failed.status, failed.body.error.code]).toEqual([422, "carrier_unauthorized"]);
    expect(failed.body.error.message).toBe("The fake does not know the key ….");
    const after = await app.get(at(id));
    expect(after.body.data).toMatchObject({
      carriers: fake_listing,
      last_test: { ok: false, code: "carrier_unauthorized", message: "The fake does not know the key …." },
    });
    // A test changes the view, so the tag, but is not a change by somebody else.
    expect(after.headers.get("etag")).not.toBe(tested.headers.get("etag"));
    const headers = { "if-match": `"${revision}"` };
    const changed = await app.call("PATCH", at(id), { credentials: { api_key: key() } }, { headers });
    expect(changed.body.data).toMatchObject({ revision: revision + 1, last_test: null, carriers: fake_listing });
    fake.check = async () => {
      throw new Error("a wrong program");
    };
    expect((await app.post(`${at(id)}/test`)).status).toBe(502);
    fake.check = () => new Promise(() => {});
    expect((await app.post(`${at(id)}/test`)).status).toBe(504);
    expect((await app.get(at(id))).body.data.last_test).toMatchObject({ ok: false, code: "carrier_timeout" });
    fake.check = async () => fake_listing;
  });

  test("the result of a test of outdated credentials is dropped", async () => {
    const { id } = await add();
    fake.check = async () => {
      await app.patch(at(id), { credentials: { api_key: key() } });
      return fake_listing;
    };
    const answer = await app.post(`${at(id)}/test`);
    expect([answer.status, answer.body.error.code]).toEqual([409, "write_conflict"]);
    expect((await app.get(at(id))).body.data).toMatchObject({ carriers: [], last_test: null });
    fake.check = async () => fake_listing;
  });

  test("a callback secret can be set, rotated with an hour's overlap, and removed", async () => {
    const own = { first: "the-first-secret-of-ours", second: "the-second-secret-of-ours" };
    const account = await add({ callback_secret: own.first });
    expect(account).not.toHaveProperty("callback_secret");
    const counting = async () => {
      const kept = await app.service.stores.live.read((db) => getAccount(db, account.id));
      return callbackSecretsOf(kept, app.service.secret_key, app.clocks.live.now());
    };
    expect(await counting()).toEqual([own.first]);
    await app.patch(at(account.id), { callback_secret: own.second });
    expect(await counting()).toEqual([own.second, own.first]);
    app.clocks.live.advance(hour_ms);
    expect(await counting()).toEqual([own.second]);
    const none = await app.patch(at(account.id), { callback_secret: null });
    expect([none.body.data.has_callback_secret, await counting()]).toEqual([false, []]);
  });

  test("a paused account is inactive; a deleted one is gone and can be added again", async () => {
    const api_key = key();
    const { id } = await add({ credentials: { api_key } });
    const active = async () => {
      const found = await app.service.stores.live.read(listActiveAccounts);
      return found.some((one) => id === `cac_${one.id}`);
    };
    expect(await active()).toBe(true);
    await app.patch(at(id), { status: "paused" });
    expect(await active()).toBe(false);
    await app.patch(at(id), { status: "active" });
    expect((await app.call("DELETE", at(id))).body.data).toEqual({ id, deleted: true });
    expect([await active(), (await app.get(at(id))).status]).toEqual([false, 404]);
    expect((await app.post(`${at(id)}/test`)).status).toBe(404);
    expect((await add({ credentials: { api_key } })).id).not.toBe(id);
  });
});

describe("refuses", () => {
  const credentials = { api_key: "fake_key_to_be_refused" };
  test.each([
    ["no fields", {}, ["connector", "credentials"]],
    ["an unknown connector", { connector: "fakes", credentials }, ["connector"]],
    ["the name of what every object has", { connector: "constructor", credentials }, ["connector"]],
    ["no key", { connector: "fake", credentials: {} }, ["credentials.api_key"]],
    ["a field that is none", { connector: "fake", credentials: { ...credentials, pin: "1" } }, ["credentials.pin"]],
    ["a key with a space", { connector: "fake", credentials: { api_key: "a b" } }, ["credentials.api_key"]],
    [
      "plain http",
      { connector: "fake", credentials: { ...credentials, api_url: "http://x.example" } },
      ["credentials.api_url"],
    ],
    [
      "a query",
      { connector: "fake", credentials: { ...credentials, api_url: `${api_url}?a=b` } },
      ["credentials.api_url"],
    ],
    ["a short callback secret", { connector: "fake", credentials, callback_secret: "short" }, ["callback_secret"]],
    [
      "callbacks of who sends none",
      { connector: "silent", credentials, callback_secret: "long-enough-to-be-one" },
      ["callback_secret"],
    ],
  ])("%s", async (_, body, fields) => {
    const answer = await app.post(place, body);
    expect([answer.status, answer.body.error.code, fieldsOf(answer)]).toEqual([422, "validation_failed", fields]);
  });

  test("an API at an address that is not public", async () => {
    for (const blocked of ["https://127.0.0.1", "https://169.254.169.254", "https://[::1]:8443"]) {
      const answer = await app.post(place, { connector: "fake", credentials: { ...credentials, api_url: blocked } });
      expect([answer.status, answer.body.error.code, fieldsOf(answer)]).toEqual([
        422,
        "blocked_address",
        ["credentials.api_url"],
      ]);
    }
  });

  test("a duplicate account, when adding, changing, and concurrently", async () => {
    const twice = { connector: "fake", credentials: { api_key: key() } };
    const answers = await Promise.all([app.post(place, twice), app.post(place, twice)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const [first, second] = answers.sort((one, other) => one.status - other.status);
    const { code, existing_id } = second?.body.error ?? {};
    expect([code, existing_id]).toEqual(["duplicate_connection", first?.body.data.id]);
    const other = await add();
    const changed = await app.patch(at(other.id), { credentials: twice.credentials });
    expect([changed.status, changed.body.error.existing_id]).toEqual([409, first?.body.data.id]);
  });

  test("another connector, removing the last proof, and sending secrets to another address", async () => {
    const account = await add();
    const cases = [
      [{ connector: "silent" }, "immutable_field", "connector"],
      [{ credentials: { api_key: null } }, "validation_failed", "credentials.api_key"],
      [{ credentials: { api_url: "https://198.51.100.7" } }, "blocked_address", "credentials.api_url"],
      [{ credentials: { api_url: "https://93.184.216.35" } }, "validation_failed", "credentials.api_key"],
    ] as const;
    for (const [body, code, field] of cases) {
      const answer = await app.patch(at(account.id), body);
      expect([answer.body.error.code, fieldsOf(answer)]).toEqual([code, [field]]);
    }
    expect((await app.get(at(account.id))).body.data.revision).toBe(1);
  });
});

describe("guards", () => {
  test("secrets are encrypted in the database, and shown at most once", async () => {
    const [api_key, callback_secret] = ["fake_key_to_be_sealed_1", "callback_secret_to_be_sealed"];
    const body = { connector: "fake", credentials: { api_key }, callback_secret };
    const headers = { "idempotency-key": "sealed-account" };
    const first = await app.call("POST", place, body, { headers });
    const answers = [first, await app.call("POST", place, body, { headers }), await app.post(place, body)];
    const path = at(first.body.data.id);
    answers.push(await app.patch(path, { callback_secret: "callback_secret_the_second" }), await app.get(place));
    const rows = () => app.service.stores.live.read((db) => db.sql.select().from(carrier_accounts));
    const text = JSON.stringify([answers.map((answer) => answer.body), await rows()]);
    for (const plain of [api_key, callback_secret, "callback_secret_the_second"]) expect(text).not.toContain(plain);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 409, 200, 200]);
    // A generated secret is shown once, and again only for a repeat of the request.
    const own = { connector: "fake", credentials: { api_key: key() } };
    const again = { headers: { "idempotency-key": "made-secret" } };
    const shown = [await app.call("POST", place, own, again), await app.call("POST", place, own, again)];
    expect(shown[1]?.body).toEqual(shown[0]?.body);
    const { id, callback_secret: made_secret } = shown[0]?.body.data ?? {};
    expect(JSON.stringify([(await app.get(at(id))).body, await rows()])).not.toContain(made_secret);
    await app.call("DELETE", path);
    const row = (await rows()).find((one) => path === at(`cac_${one.id}`));
    expect([row?.credentials, row?.credentials_digest, row?.callback_secret, row?.previous_callback_secret]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  test("renewing the secret key lists values that another key encrypted", async () => {
    const { id } = await add();
    const lines = await renewSecretKey(
      { ...app.service.stores, registry: null, close: async () => {} },
      "/nowhere",
      new Uint8Array(32).fill(9),
    );
    expect(lines).toContain(`live: carrier account ${id}: enter its credentials again with PATCH`);
    await renewSecretKey(
      { ...app.service.stores, registry: null, close: async () => {} },
      "/nowhere",
      app.service.secret_key,
    );
    expect((await app.get(at(id))).body.data.credential_fields[0].is_set).toBe(true);
  });
});
