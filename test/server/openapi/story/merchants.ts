// A merchant from its first day to its last. Merchants are created and changed in live.

import { readId } from "../../../../src/core/ids.ts";
import { firstId } from "../../../../src/storage/migrations/migrate.ts";
import { pngOf } from "../../../files/images.ts";
import { signedInAs } from "../../../identity/people.ts";
import type { Teller } from "./record_example.ts";

/** An additional merchant: it joins, has members, buys some goods of the first one, is suspended, and leaves. */
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
    color: "#1f6feb",
  };
  const { id } = (await tell("createMerchant", { key, body })).data;
  const path = { id };
  await tell("listMerchants", { key, query: { status: "active" } });
  await tell("getMerchant", { key, path });
  await tell("updateMerchant", { key, path, body: { may_buy_labels: true } });
  await members(teller, id);
  await soldTo(teller, id);
  await tell("suspendMerchant", { key, path });
  await tell("reactivateMerchant", { key, path });
  await tell("closeMerchant", { key, path });
}

/** The logo and the contact that buyers of the first merchant see. */
export async function branding({ tell, mode }: Teller): Promise<void> {
  const logo = (
    await tell("uploadFile", { query: { kind: "logo", name: "harbor-logo.png" }, body: pngOf(320, 96, 0x42) })
  ).data;
  const path = { id: logo.id };
  await tell("getFile", { path });
  const { searchParams } = new URL(logo.url, "http://localhost");
  await tell("getFileContent", { key: null, path, query: Object.fromEntries(searchParams) });
  const look = { accent_color: "#0b5c4a", display_name: "Harbor Goods", support_email: "help@harbor.example" };
  const contact = {
    support_phone: "+1 503 555 0142",
    website: "https://harbor.example/",
    message: "Thanks for your order!",
  };
  await tell("updateBranding", {
    path: { id: logo.merchant_id },
    body: { logo_file_id: logo.id, ...look, ...contact },
  });
  await tell("getBranding", { path: { id: logo.merchant_id } });
  await tell("listFiles", { query: { kind: "logo" } });
  const other = (await tell("uploadFile", { query: { kind: "logo" }, body: pngOf(64, 64, mode.length) })).data;
  await tell("deleteFile", { path: { id: other.id } });
}

/** A member of the merchant who also joins the operator, and an operator's user who views as the merchant. */
async function members({ app, tell, act }: Teller, merchant_id: string): Promise<void> {
  const key = app.keys.live.full;
  const { service } = app;
  const { email, ...member } = await signedInAs(service, "office", "Mia Member", readId("merchant", merchant_id));
  const as = { key: null, headers: member.headers };
  const { link } = (await act("createInvitation", { key, body: { email, role: "viewer" } })).data;
  await tell("joinMembership", { ...as, body: { token: link.split("#")[1] } });
  await tell("chooseMembership", { ...as, body: { merchant: null } });
  const staff = await signedInAs(service, "office", "Stan Staff");
  await tell("beginViewAs", { key: null, headers: staff.headers, body: { merchant_id: "ACME" } });
  await tell("endViewAs", { key: null, headers: staff.headers });
}

/** Goods of the first merchant that another one buys, and that then leave the warehouse. */
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
