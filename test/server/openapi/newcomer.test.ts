// A user with a new test key can send most examples of the reference, from top to bottom.
import { expect, test } from "bun:test";
import { operationsOf } from "../../../src/server/openapi/description.ts";
import type { Examples } from "../../../src/server/openapi/operation.ts";
import { openTestApp } from "../../build/service.ts";
import { live_only } from "../../http/auth/permission_matrix.ts";
import { signedInAs } from "../../identity/people.ts";
import { kept_files } from "./story/story.ts";

const year_ms = 365 * 86_400_000;

// From the first product to the refund of a return.
const way = [
  ...["createProduct", "updateProduct", "addInventory", "adjustInventory", "getInventory", "createCustomer"],
  ...["createAddress", "createLocation", "reserveInventory", "createOrder", "updateOrder", "holdOrder", "releaseOrder"],
  ...["allocateOrder", "processOrder", "getPickList", "pickOrder", "packOrder", "getPackingSlip", "getRates"],
  ...["createLabel", "getLabelDocument", "recordScan", "track", "getOrder", "listOrderHistory", "createReturn"],
  ...["receiveReturn", "inspectReturn", "refundReturn", "createWebhook", "listEvents"],
];

/** A fresh service, long after the examples were written. Each is sent to it with a test key. */
async function newcomer() {
  const app = await openTestApp();
  app.clocks.test.advance(year_ms);
  const examples: Examples = await Bun.file(kept_files.examples).json();
  const person = await signedInAs(app.service, "owner");
  const operations = operationsOf(app.app.routes);
  const send = async (id: string) => {
    const operation = operations.find((one) => one.id === id);
    const example = examples[id];
    if (operation === undefined || example === undefined) throw new Error(`${id} is no operation with an example`);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(example.path?.[name] ?? ""));
    const query = new URLSearchParams(example.query).toString();
    const headers = typeof example.body === "string" ? { "content-type": operation.sends } : {};
    const asked = query === "" ? path : `${path}?${query}`;
    const isLive = live_only.has(`${operation.method.toUpperCase()} ${operation.path.replace(/\{(\w+)\}/g, ":$1")}`);
    const key = operation.need === "user" ? null : app.keys[isLive ? "live" : "test"].full;
    const who = { key, headers: { ...headers, ...(key === null && { cookie: person.headers.cookie }) } };
    const { status, body } = await app.call(operation.method.toUpperCase(), asked, example.body, who);
    return { status, error: body?.error };
  };
  return { app, ids: operations.flatMap(({ id, alias }) => (alias ? [] : id)), send };
}

test("the examples from a product to a refund work, one after another", async () => {
  const { app, send } = await newcomer();
  for (const id of way) {
    const { status, error } = await send(id);
    expect([id, status < 300, error]).toEqual([id, true, undefined]);
  }
  await app.close();
}, 60_000);

// The errors that an example may get: missing records, other states (such as a label that is not voided), and
// signatures that only others can make.
const told = [
  "resource_missing",
  "invalid_state_transition",
  "duplicate_label",
  "insufficient_inventory",
  "invalid_signature",
  "invalid_credentials",
  "invalid_link",
  "no_suggestion",
  "mail_not_configured",
  "backups_not_configured",
  "merchant_closed",
];
// A notification from a day in the past, a one-time code of that time, and a link that was valid then.
const dated = ["bigcommerceOrder", "confirmSecondFactor", "joinMembership"];
// Its body is a file, which no example shows.
const binary = ["uploadFile"];

test("every other example works, or gets an error about a missing record", async () => {
  const { app, ids, send } = await newcomer();
  let works = 0;
  for (const id of ids.filter((one) => ![...dated, ...binary].includes(one))) {
    const { status, error } = await send(id);
    if (status < 300) works += 1;
    // A page is not JSON.
    else if (error === undefined) expect([id, status]).toEqual([id, 404]);
    else if (!told.includes(error.code)) expect([id, error]).toEqual([id, undefined]);
  }
  expect(works).toBeGreaterThan(ids.length * 0.6);
  await app.close();
}, 60_000);
