// A merchant from its first day to its last. Merchants are made and changed in the live world.
import { firstId } from "../../../src/database/migrate.ts";
import type { Teller } from "./teller.ts";

/** A merchant beside the first one: it comes, buys some of his goods, waits for a while, and leaves. */
export async function merchants(teller: Teller): Promise<void> {
  const { app, tell } = teller;
  const key = app.keys.live.full;
  const body = {
    code: "ACME",
    name: "Acme Toys",
    legal_name: "Acme Toys GmbH",
    currency: "EUR",
    timezone: "Europe/Berlin",
    contact: { name: "Anna Acker", email: "anna@acme.example", phone: "+49 30 1234567" },
    ship_from_name: "Acme Toys",
    colour: "#1f6feb",
  };
  const { id } = (await tell("createMerchant", { key, body })).data;
  const path = { id };
  await tell("listMerchants", { key, query: { status: "active" } });
  await tell("getMerchant", { key, path });
  await tell("updateMerchant", { key, path, body: { may_buy_labels: true } });
  await soldTo(teller, id);
  await tell("suspendMerchant", { key, path });
  await tell("reactivateMerchant", { key, path });
  await tell("closeMerchant", { key, path });
}

/** Goods of the first merchant that another one buys, and that leave the house then. */
async function soldTo({ app, tell, act }: Teller, merchant_id: string): Promise<void> {
  const key = app.keys.live.full;
  for (const owner of ["MAIN", merchant_id]) {
    await act("createProduct", { key, body: { sku: "BEAR", name: "Bear", merchant_id: owner } });
  }
  const goods = { sku: "BEAR", quantity: 40, location: `whs_${firstId.live}`, bin: "B-07-01" };
  await act("addInventory", { key, body: { ...goods, merchant_id: "MAIN" } });
  const to = { to_merchant_id: merchant_id, to_bin: "B-07-02", reason: "Sold by contract 2031." };
  await tell("transferOwnership", { key, body: { ...goods, from_merchant_id: "MAIN", ...to } });
  const gone = { adjustment: -40, location: goods.location, reason: "other", notes: "Collected by the new owner." };
  const headers = { "packhouse-merchant": merchant_id };
  await act("adjustInventory", { key, headers, path: { sku: "BEAR" }, body: gone });
}
