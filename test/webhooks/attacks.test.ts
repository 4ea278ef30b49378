// Hostile webhook URLs. None of them reaches a non-public address, however the URL is spelled, whatever its name
// resolves to later, and wherever a response redirects.
import { afterAll, describe, expect, test } from "bun:test";
import * as dgram from "node:dgram";
import { Resolver } from "node:dns/promises";
import * as net from "node:net";
import { eq } from "drizzle-orm";
import { subscriptions } from "../../db/schema/webhooks.ts";
import { emit } from "../../src/events/emit.ts";
import { type AddressPolicy, default_ports, ranges } from "../../src/outbound/destination.ts";
import { createSender } from "../../src/webhooks/deliveries/send_delivery.ts";
import { openApp } from "../build/service.ts";
import { hosts, openTarget } from "../outbound/blocked_hosts.ts";

const stranger: AddressPolicy = {
  mode: "test",
  chosen_by: "operator",
  loopback_receivers: false,
  ports: default_ports,
  openings: ranges([]),
};
const deadlines = { connect_ms: 1500, headers_ms: 500, body_ms: 200 };

/** A name server that returns the answers of a list in turn, for any name, with a TTL of 0. */
async function openNameServer(answers: readonly (readonly string[])[]) {
  const socket = dgram.createSocket("udp4");
  let asked = 0;
  socket.on("message", (query, from) => {
    const addresses = answers[asked++ % answers.length] ?? [];
    let end = 12;
    while (query[end] !== 0) end += 1 + (query[end] ?? 0);
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(addresses.length, 6);
    header.writeUInt32BE(0, 8);
    const records = addresses.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]),
    );
    socket.send(Buffer.concat([header, query.subarray(12, end + 5), ...records]), from.port, from.address);
  });
  await new Promise<void>((done) => socket.bind(0, "127.0.0.1", done));
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return { resolve: (host: string) => resolver.resolve4(host), asked: () => asked, close: () => socket.close() };
}

const target = await openTarget();
const app = await openApp({ loopback_only: false });
afterAll(async () => {
  target.close();
});

const ask = (method: string, path: string, body: unknown = {}) =>
  app.call(method, path, body, { key: app.keys.test.full });
const refusals = ["blocked_address", "validation_failed"];

describe("a hostile address", () => {
  test("comes in more than 150 spellings", () => {
    expect(hosts.length).toBeGreaterThanOrEqual(150);
  });

  test("is refused when a client submits it, in live and test", async () => {
    for (const host of hosts) {
      const [scheme, own] = [`http://${host}:${target.port}/`, `https://${host}/`];
      const answers = [
        await ask("POST", "/webhooks", { url: scheme, events: ["order.created"] }),
        await app.post("/webhooks", { url: own, events: ["order.created"] }),
      ];
      for (const { status, body } of answers) {
        // Names that are not IP addresses are accepted here and checked when they resolve. None of these resolves.
        if (status === 201) expect(body.data.url).toMatch(/localhost\./i);
        else expect([host, refusals.includes(body.error.code)]).toEqual([host, true]);
      }
    }
    expect(target.count()).toBe(0);
  }, 30_000);

  test("is not called by the sender, which checks addresses itself", async () => {
    const sender = createSender({ policy: stranger, deadlines });
    for (const host of hosts) {
      const result = await sender.send({ url: `http://${host}:${target.port}/`, headers: {}, body: "{}" });
      expect([host, result.error?.code]).toEqual([host, expect.stringMatching(/^(blocked_address|dns_error)$/)]);
      expect([result.ip_address, result.duration_ms === null || result.error?.code === "dns_error"]).toEqual([
        null,
        true,
      ]);
    }
    sender.close();
    expect(target.count()).toBe(0);
  }, 30_000);

  test("that entered the database another way is called by neither test events nor deliveries", async () => {
    const { test: store } = app.service.stores;
    const made = (await ask("POST", "/webhooks", { url: "https://1.1.1.1/", events: ["order.created"] })).body.data;
    const id = Number(made.id.slice(4));
    for (const host of ["127.0.0.1", "[::1]", "2130706433", "[::ffff:127.0.0.1]", "localhost", "0.0.0.0", "127.1"]) {
      const url = `http://${host}:${target.port}/`;
      await store.write((tx) => tx.sql.update(subscriptions).set({ url }).where(eq(subscriptions.id, id)));
      const tested = await ask("POST", `/webhooks/${id}/test`, { event: "order.created" });
      expect(tested.body.data).toMatchObject({ status: "blocked", response: null, duration_ms: null });
      await store.write((tx) =>
        emit(tx, [{ type: "order.created", merchant_id: 1, data: { object: "order", id: host } }]),
      );
      await app.runJobs();
      await ask("PATCH", `/webhooks/${id}`, { active: true });
    }
    const log = (await ask("GET", `/webhooks/${id}/logs?limit=100`, undefined)).body.data;
    expect(log.length).toBeGreaterThanOrEqual(12);
    for (const line of log) {
      expect(line).toMatchObject({
        status: "blocked",
        response: null,
        ip_address: null,
        duration_ms: null,
        error: { code: "blocked_address" },
      });
    }
    expect(target.count()).toBe(0);
  });

  test("whose name later resolves to loopback, or to both a public and a loopback address, is not called", async () => {
    const names = await openNameServer([["1.1.1.1"], ["127.0.0.1"], ["1.1.1.1", "127.0.0.1"], ["127.0.0.1"]]);
    const sender = createSender({ policy: stranger, deadlines, resolve: names.resolve });
    const url = `http://rebinding.example:${target.port}/`;
    expect(await sender.problem(url)).toBeNull();
    for (let n = 0; n < 3; n += 1) {
      expect((await sender.send({ url, headers: {}, body: "{}" })).error?.code).toBe("blocked_address");
    }
    // Public again: this one is called at the address just resolved, without a second lookup.
    expect(names.asked()).toBe(4);
    const policy = { ...stranger, openings: ranges(["192.0.2.0/24"]) };
    const public_first = await openNameServer([["192.0.2.1"], ["127.0.0.1"]]);
    const second = createSender({
      policy,
      deadlines: { ...deadlines, connect_ms: 200 },
      resolve: public_first.resolve,
    });
    const result = await second.send({ url, headers: {}, body: "{}" });
    expect(["timeout", "connect_error"]).toContain(result.error?.code ?? "");
    expect([public_first.asked(), target.count()]).toEqual([1, 0]);
    for (const one of [names, public_first, sender, second]) one.close();
  });

  test("that a response redirects to is not called, whatever the status", async () => {
    const sender = createSender({ policy: { ...stranger, openings: ranges(["127.0.0.9/32"]) }, deadlines });
    const statuses = [300, 301, 302, 303, 305, 307, 308];
    for (const status of statuses) {
      const location = `http://127.0.0.1:${target.port}/latest/meta-data/`;
      const receiver = net.createServer((socket) => {
        socket.on("error", () => {});
        socket.on("data", () =>
          socket.end([`HTTP/1.1 ${status} There`, `Location: ${location}`, "Content-Length: 0", "", ""].join("\r\n")),
        );
      });
      await new Promise<void>((done) => receiver.listen(0, "127.0.0.9", done));
      const { port } = receiver.address() as net.AddressInfo;
      const result = await sender.send({ url: `http://127.0.0.9:${port}/`, headers: {}, body: "{}" });
      expect([result.status_code, result.error?.code]).toEqual([status, "http_error"]);
      receiver.close();
    }
    sender.close();
    expect(target.count()).toBe(0);
  });
});

test("the target is reachable, so its silence is meaningful", async () => {
  const sender = createSender({ policy: { ...stranger, openings: ranges(["127.0.0.0/8"]) }, deadlines });
  await sender.send({ url: `http://127.0.0.1:${target.port}/`, headers: {}, body: "{}" });
  sender.close();
  expect(target.count()).toBe(1);
});
