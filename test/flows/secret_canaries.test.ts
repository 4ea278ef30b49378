// Secrets of every kind go through the service. Then none of them may be found anywhere but where it belongs.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type StartedService, startService } from "../../scripts/service.ts";
import { hmacBase64 } from "../../src/core/crypto.ts";
import { freshDatabase } from "./service.ts";
import { databaseFiles, rowsIn } from "./watched_service.ts";

const folder = mkdtempSync(join(tmpdir(), "packhouse-canaries-"));
let service: StartedService | null = null;
afterAll(async () => {
  await service?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const word = () => Bun.randomUUIDv7("hex").replaceAll("-", "").slice(-20);
const settings = {
  secret_key: `${word()}${word()}${word()}0000`.slice(0, 64),
  smtp: `smtp-${word()}`,
  database: `pg-${word()}`,
};
const chosen = {
  webhook_secret: `whsec_${Buffer.from(`chosen-${word()}`.padEnd(32, "x")).toString("base64")}`,
  consumer_key: `ck_${word()}`,
  consumer_secret: `cs_${word()}`,
  client_secret: `woo_${word()}`,
};

/** A mail server that accepts the first mail, and then repeats the password it got in its replies. */
function startMailServer() {
  const mails: string[] = [];
  let auths = 0;
  const server = net.createServer((socket) => {
    let mail: string | null = null;
    socket.write("220 mail\r\n");
    socket.on("error", () => {});
    socket.on("data", (data) => {
      const text = data.toString();
      if (mail !== null) {
        mail += text;
        if (!mail.endsWith("\r\n.\r\n")) return;
        mails.push(mail);
        mail = null;
        socket.write("250 taken\r\n");
      } else if (/^EHLO/i.test(text)) socket.write("250-mail\r\n250 AUTH PLAIN\r\n");
      else if (/^AUTH/i.test(text)) {
        auths += 1;
        const [, , told = ""] = text.trim().split(" ");
        const plain = Buffer.from(told, "base64").toString().replaceAll("\0", " ");
        socket.write(auths === 1 ? "235 welcome\r\n" : `535 not with ${told} which is ${plain}\r\n`);
      } else if (/^DATA/i.test(text)) {
        mail = "";
        socket.write("354 go on\r\n");
      } else socket.write("250 ok\r\n");
    });
  });
  server.listen(0, "127.0.0.1");
  const { port } = server.address() as net.AddressInfo;
  return { url: `smtp://me:${settings.smtp}@127.0.0.1:${port}`, mails, asked: () => auths, stop: () => server.close() };
}

/** A receiver and a platform that repeat what they received, and reject it. */
function startEcho() {
  const asked: string[] = [];
  return Object.assign(
    Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const { pathname } = new URL(request.url);
        asked.push(pathname);
        const told = JSON.stringify(Object.fromEntries(request.headers));
        return new Response(told, { status: pathname.startsWith("/gone") ? 410 : 500, headers: { "x-told": "yes" } });
      },
    }),
    { asked },
  );
}

/** On PostgreSQL an empty database with its own user and password; otherwise null. */
async function databaseWithPassword(): Promise<string | null> {
  const url = await freshDatabase();
  if (url === null) return null;
  const own = new URL(url);
  const role = `canary_${word()}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`create role ${role} login password '${settings.database}'`);
  await admin.query(`alter database ${own.pathname.slice(1)} owner to ${role}; grant ${role} to current_user`);
  await admin.end();
  own.username = role;
  own.password = settings.database;
  return own.href;
}

/** Everything that was seen, by source. */
const seen = new Map<string, string>();
const keep = (where: string, text: string) => seen.set(where, (seen.get(where) ?? "") + text);

/** Sends a request and records its response, unless that is the one response that shows its secret. */
async function send(method: string, path: string, how: Record<string, unknown> = {}) {
  const {
    key,
    body,
    headers = {},
    shows = false,
  } = how as {
    key?: string | null;
    body?: unknown;
    headers?: Record<string, string>;
    shows?: boolean;
  };
  const response = await fetch(path.startsWith("http") ? path : `${service?.url}${path}`, {
    method,
    headers: {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!shows)
    keep(
      `${method} ${path.replace(service?.url ?? "", "").split("?")[0]}`,
      text + JSON.stringify([...response.headers]),
    );
  return { status: response.status, text, body: text.startsWith("{") ? JSON.parse(text) : null };
}

const until = async (what: () => boolean | Promise<boolean>) => {
  const late = performance.now() + 30_000;
  while (!(await what())) {
    if (performance.now() > late) throw new Error(`it did not come to that: ${what}`);
    await Bun.sleep(50);
  }
};

/** Keys: created, replayed with the same Idempotency-Key, rotated, refused, and used in the wrong place. */
async function keysGoThrough(key: string): Promise<string[]> {
  const made = {
    key,
    body: { name: "canary", permission: "read" },
    headers: { "idempotency-key": "k-1" },
    shows: true,
  };
  const first = await send("POST", "/v1/keys", made);
  const again = await send("POST", "/v1/keys", made);
  expect([first.status, again.text]).toEqual([201, first.text]);
  const { id, key: text } = first.body.data;
  const rotated = await send("POST", `/v1/keys/${id}/rotate`, { key, body: {}, shows: true });
  for (const path of ["/v1/keys", `/v1/keys/${id}`]) await send("GET", path, { key });
  await send("POST", `/v1/keys/${id}/revoke`, { key, body: {} });
  expect((await send("GET", "/v1/orders", { key: text })).status).toBe(401);
  expect((await send("POST", "/v1/orders", { key: rotated.body.data.key, body: {} })).status).toBe(403);
  expect((await send("POST", "/v1/products", { key, body: `{"sku": "${text}` })).status).toBe(400);
  return [text, rotated.body.data.key];
}

/** Webhooks: secrets created, supplied and replayed; deliveries rejected with a response that repeats the request. */
async function webhooksGoThrough(key: string, echo: string): Promise<string[]> {
  const events = ["inventory.updated"];
  const made = { key, body: { url: `${echo}/hook`, events }, headers: { "idempotency-key": "w-1" }, shows: true };
  const first = await send("POST", "/v1/webhooks", made);
  expect([first.status, (await send("POST", "/v1/webhooks", made)).text]).toEqual([201, first.text]);
  const { id, secret } = first.body.data;
  const rotated = { key, body: { secret: chosen.webhook_secret }, headers: { "idempotency-key": "w-2" }, shows: true };
  expect((await send("POST", `/v1/webhooks/${id}/rotate_secret`, rotated)).status).toBe(200);
  await send("POST", `/v1/webhooks/${id}/rotate_secret`, rotated);
  await send("POST", "/v1/webhooks", { key, body: { url: `${echo}/hook`, events, secret: chosen.webhook_secret } });
  for (const path of ["gone-1", "gone-2"]) {
    await send("POST", "/v1/webhooks", { key, body: { url: `${echo}/${path}`, events }, shows: true });
  }
  await send("POST", `/v1/webhooks/${id}/test`, { key, body: { event: "inventory.updated" } });
  await send("POST", "/v1/products", { key, body: { sku: "TEA", name: "Tea" } });
  await send("POST", "/v1/inventory", { key, body: { sku: "TEA", quantity: 5 } });
  await until(async () => (await send("GET", `/v1/webhooks/${id}/logs`, { key })).body.data.length >= 2);
  for (const path of ["", "/logs", "/deliveries"]) await send("GET", `/v1/webhooks/${id}${path}`, { key });
  return [secret, chosen.webhook_secret];
}

/** A platform whose API rejects requests and repeats them, and notifications with valid and invalid signatures. */
async function platformGoesThrough(key: string, echo: string, asked: readonly string[]): Promise<string[]> {
  const { consumer_key: api_key, consumer_secret: api_token, client_secret } = chosen;
  const store = { platform: "woocommerce", store_id: `${echo}/woo`, api_url: `${echo}/woo`, api_key, api_token };
  const made = { key, body: { ...store, client_secret }, headers: { "idempotency-key": "p-1" } };
  const { status, body } = await send("POST", "/v1/platforms", made);
  expect(status).toBe(201);
  const { id, callback_url } = body.data;
  const raw = JSON.stringify({ id: 812, number: "812", status: "processing" });
  const path = callback_url.slice(callback_url.indexOf("/v1/"));
  const about = { "x-wc-webhook-topic": "order.updated", "x-wc-webhook-source": `${echo}/woo/` };
  const tell = (secret: string) =>
    send("POST", path, { body: raw, headers: { ...about, "x-wc-webhook-signature": hmacBase64(secret, raw) } });
  expect([(await tell(client_secret)).status, (await tell("wrong")).status]).toEqual([200, 401]);
  await until(() => asked.some((one) => one.startsWith("/woo")));
  for (const what of ["", `/${id}`, `/${id}/imports`]) await send("GET", `/v1/platforms${what}`, { key });
  return [api_key, api_token, client_secret];
}

/** A label whose link is signed: opened, opened with an invalid signature, and shown in every list. */
async function labelsGoThrough(key: string): Promise<string[]> {
  const address = { address_line1: "1 Pier", city: "Portland", state: "ME", postal_code: "04101", country: "US" };
  const customer = await send("POST", "/v1/customers", {
    key,
    body: { email: "a@b.example", last_name: "Buyer", shipping_addresses: [address] },
  });
  const order = await send("POST", "/v1/orders", {
    key,
    body: {
      order_number: "A-1",
      customer_id: customer.body.id,
      shipping_address_id: customer.body.shipping_addresses[0].id,
      line_items: [{ sku: "TEA", quantity: 1, unit_price: "1.00" }],
    },
  });
  const label = await send("POST", "/v1/shipping/labels", {
    key,
    body: {
      order_id: order.body.data.id,
      carrier: "sim",
      service: "standard",
      package: { weight: 1, weight_unit: "lbs" },
    },
    shows: true,
  });
  const link = new URL(label.body.data.label_url, service?.url);
  expect((await send("GET", `${service?.url}${link.pathname}${link.search}`)).status).toBe(200);
  const signature = [...link.searchParams.values()].toSorted((a, b) => b.length - a.length)[0] ?? "";
  expect(signature.length).toBeGreaterThan(15);
  const wrong = `${link.pathname}${link.search.replace("expires=", "expires=1")}`;
  expect((await send("GET", wrong)).status).toBeGreaterThanOrEqual(400);
  return [signature];
}

/** What the service exposes: lists, exports, replays, the reference, the metrics. */
async function everythingIsAsked(key: string): Promise<void> {
  const lists = ["orders", "products", "inventory", "customers", "events", "webhooks", "notices", "returns", "errors"];
  const exports = [
    "orders/export.csv",
    "products/export.csv",
    "inventory/export.csv",
    "inventory/movements/export.csv",
  ];
  for (const path of [...lists, ...exports]) expect((await send("GET", `/v1/${path}`, { key })).status).toBe(200);
  for (const path of ["/metrics", "/health", "/openapi.json", "/nothing"]) await send("GET", path, { key });
}

/** What the databases contain: the bytes of the files, or the text of all rows. */
async function stored(database_url: string | null, data: string): Promise<string> {
  const files = databaseFiles(data).map((name) => readFileSync(join(data, name), "latin1"));
  return [...files, ...(await rowsIn(database_url))].join("\n");
}

test("no secret is found where it does not belong", async () => {
  const mail = startMailServer();
  using echo = startEcho();
  const database_url = await databaseWithPassword();
  const log = join(folder, "log");
  const env = {
    PACKHOUSE_SECRET_KEY: settings.secret_key,
    PACKHOUSE_SMTP_URL: mail.url,
    PACKHOUSE_MAIL_TO: "operator@example.com",
    PACKHOUSE_LOG_LEVEL: "debug",
  };
  service = await startService({ database_url, env, log });
  const printed = service.output.match(/ph_(?:live|test)_\w+/g) ?? [];
  const [, key = ""] = printed;
  const at = `http://127.0.0.1:${echo.port}`;
  const secrets = new Map<string, readonly string[]>([
    ["settings", Object.values(settings)],
    ["API keys", [...printed, ...(await keysGoThrough(key))]],
    ["webhook secrets", await webhooksGoThrough(key, at)],
    ["platform secrets", await platformGoesThrough(key, at, echo.asked)],
    ["signed links", await labelsGoThrough(key)],
  ]);
  await until(() => mail.asked() >= 2);
  await everythingIsAsked(key);
  const { data } = service;
  const code = await service.stop();
  expect(code).toBe(0);
  mail.stop();
  keep("the log", readFileSync(log, "utf8"));
  keep("e-mails", mail.mails.join("\n"));
  const kept = await stored(database_url, data);
  keep("the database", kept);

  // The searched texts are not empty.
  expect(mail.mails).toHaveLength(1);
  expect(kept.length).toBeGreaterThan(10_000);
  const lines = (seen.get("the log") ?? "").trim().split("\n");
  expect(lines.length).toBeGreaterThan(40);
  for (const line of lines) expect(Object.keys(JSON.parse(line)).slice(0, 3)).toEqual(["time", "level", "message"]);

  const found: string[] = [];
  for (const [kind, texts] of secrets) {
    for (const secret of texts) {
      const bytes = Buffer.from(secret.replace(/^whsec_/, ""), /^whsec_/.test(secret) ? "base64" : "utf8");
      const forms = [secret, bytes.toString("base64"), bytes.toString("hex"), bytes.toString("latin1")];
      for (const [where, text] of seen) {
        if (forms.some((form) => text.includes(form))) found.push(`${kind} in ${where}`);
      }
    }
  }
  expect([...new Set(found)]).toEqual([]);
}, 120_000);
