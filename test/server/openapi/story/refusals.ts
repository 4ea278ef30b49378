// Refused requests and their messages: the examples of errors.
import type { Buyer } from "./orders.ts";
import { unfinishedImport } from "./platforms.ts";
import type { Teller } from "./record_example.ts";

/** Requests that are refused, after everything else has happened. */
export async function refusals(teller: Teller, buyer: Buyer): Promise<void> {
  const { app, mode, warehouse_id, refuse, act } = teller;
  const product = { sku: "MILK-1L", name: "Whole milk, 1 l" };
  await refuse("authentication_required", "listProducts", { key: null });
  await refuse("invalid_api_key", "listProducts", { key: "ph_live_copied_incompletely" });
  await refuse("insufficient_permission", "createProduct", { key: app.keys[mode].read, body: product });
  await refuse("live_only", "createMerchant", { key: app.keys.test.read_write, body: { code: "ACME", name: "Acme" } });
  await refuse("resource_missing", "getOrder", { path: { id: "ord_9999" } });
  await refuse("malformed_request", "createProduct", { body: '{"sku": "MILK-1L",' });
  await refuse("unsupported_media_type", "createProduct", {
    body: "sku=MILK-1L",
    headers: { "content-type": "text/plain" },
  });
  await refuse("headers_too_large", "listProducts", { headers: { cookie: "theme=dark; ".repeat(2000) } });
  await refuse("malformed_header", "createProduct", { body: product, headers: { "idempotency-key": "two words" } });
  await refuse("invalid_cursor", "listProducts", { query: { cursor: "made-up" } });
  await refuse("validation_failed", "createProduct", { body: { sku: "", nmae: "Milk", price: "1.9999" } });
  await refuse("duplicate_sku", "createProduct", { body: product });
  await refuse("duplicate_email", "createCustomer", { body: { email: "ada@example.com" } });
  const once = { "idempotency-key": "order-4711" };
  const line_items = [{ sku: "TEA-100", quantity: 1, unit_price: "6.00" }];
  const made = await act("createOrder", { body: { order_number: "SO-4711", ...buyer, line_items }, headers: once });
  const body = { order_number: "SO-4711", ...buyer, line_items };
  await refuse("duplicate_order_number", "createOrder", { body });
  await refuse("idempotency_key_reused", "createOrder", { body: { ...body, order_number: "SO-4712" }, headers: once });
  const many = [{ ...line_items[0], quantity: 1_000_000 }];
  const short = { ...body, order_number: "SO-4712", line_items: many, allow_backorder: false };
  await refuse("insufficient_inventory", "createOrder", { body: short });
  const path = { id: made.data.id };
  await refuse("invalid_state_transition", "deliverOrder", { path, body: {} });
  await refuse("precondition_failed", "updateOrder", { path, body: { priority: 1 }, headers: { "if-match": '"99"' } });
  await refuse("no_suggestion", "acceptOrderSuggestion", { path, body: {} });
  await refuse("immutable_field", "updateOrder", { path, body: { order_number: "SO-4713" } });
  const gone = { id: (await act("createCustomer", { body: { email: "gone@example.com" } })).id };
  await act("eraseCustomer", { path: gone, body: {} });
  await app.runJobs();
  await refuse("customer_erased", "updateCustomer", { path: gone, body: { first_name: "Ada" } });
  await refuse("orders_open", "eraseCustomer", { path: { id: buyer.customer_id }, body: {} });
  await refuse("nothing_to_return", "createReturn", { body: { order_id: "SO-4711", reason: "defective" } });
  await refuse("mail_not_configured", "testMail", { key: app.keys.live.full, body: {} });
  await refuse("backups_not_configured", "startBackup", { key: app.keys.live.full });
  const adjustment = { adjustment: -1, reason: "stock_count", location: warehouse_id, expected_quantity: 7 };
  await refuse("quantity_conflict", "adjustInventory", { path: { sku: "CUP" }, body: adjustment });
  const card = { service: "standard", name: "Standard", prices: [{ zone: "*", up_to_pounds: 1, price: "5.00" }] };
  const again = { ...card, transit_days: [{ zone: "*", days: 3 }] };
  await refuse("rate_card_overlap", "createRateCard", { body: again });
  const hidden = { url: "https://10.0.0.7/hooks", events: ["order.created"] };
  await refuse("blocked_address", "createWebhook", { body: hidden });
  const [table] = (await act("listStations")).data;
  await refuse("record_in_use", "deletePrinter", { path: { id: table.label_printer_id } });
  await unfinishedImport(teller);
  await ofMerchants(teller);
}

/** Refusals that need several merchants. */
async function ofMerchants({ app, refuse, act }: Teller): Promise<void> {
  const key = app.keys.live.full;
  const product = { sku: "BOLT-1", name: "Bolt" };
  await act("createMerchant", { key, body: { code: "BOLT", name: "Bolt & Co" } });
  await refuse("merchant_required", "createProduct", { body: product });
  await refuse("merchant_closed", "createProduct", { body: product, headers: { "packhouse-merchant": "ACME" } });
  await refuse("merchant_not_empty", "closeMerchant", { key, path: { id: "mer_1" } });
  const made = await act("createKey", { body: { name: "Bolt & Co", permission: "full", merchant_id: "BOLT" } });
  const path = { sku: "BOLT-1" };
  await refuse("not_for_merchants", "adjustInventory", { key: made.data.key, path, body: { adjustment: 1 } });
}
