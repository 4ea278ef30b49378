// The specification, replayed over HTTP against a service of its own, with a key of each mode and at both addresses.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import "./orders.ts";
import "./products.ts";
import "./inventory.ts";
import "./customers.ts";
import "./returns.ts";
import "./shipping.ts";
import "./tracking.ts";
import "./webhooks.ts";
import "./platforms.ts";
import "./errors.ts";
import { send, startContract, stopContract, wasReplayed } from "./service.ts";

beforeAll(startContract, 60_000);
afterAll(stopContract, 60_000);

// Every row of the specification's tables of endpoints, and what stands beside them. Methods that it does not show are
// those of the contract.
const documented = [
  "POST /orders",
  "GET /orders",
  "GET /orders/:id",
  "PATCH /orders/:id",
  "DELETE /orders/:id",
  "POST /orders/:id/hold",
  "POST /orders/:id/release",
  "GET /orders/:id/history",
  "GET /products",
  "POST /products",
  "GET /products/:id",
  "PATCH /products/:id",
  "GET /inventory",
  "POST /inventory",
  "GET /inventory/:sku",
  "PATCH /inventory/:sku",
  "POST /inventory/reserve",
  "POST /inventory/release",
  "GET /inventory/locations",
  "GET /inventory/movements",
  "POST /customers",
  "GET /customers",
  "GET /customers/:id",
  "PATCH /customers/:id",
  "PUT /customers/:id",
  "POST /returns",
  "GET /returns",
  "POST /returns/:id/refund",
  "POST /shipping/rates",
  "POST /shipping/labels",
  "GET /shipping/carriers",
  "GET /tracking/:tracking_number",
  "POST /tracking/batch",
  "POST /webhooks",
  "POST /webhooks/:id/test",
  "GET /webhooks/:id/logs",
  "POST /webhooks/<platform>/orders",
  "dashboard: Settings, Developer, API Keys",
  "POST /keys",
  "GET /keys",
  "GET /errors",
];

// What people do in a browser is tried there: test/dashboard/screens/developer.test.ts makes keys and webhooks.
const in_a_browser = ["dashboard: Settings, Developer, API Keys"];

describe("the specification", () => {
  test("has a dashboard", async () => {
    const { status, headers } = await send("GET", "/dashboard", null);
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  });

  test("every documented endpoint is replayed by name, or tried in a browser", () => {
    expect(documented.filter((row) => !wasReplayed(row))).toEqual(in_a_browser);
  });
});
