// A merchant from its first day to its last. Merchants are made and changed in the live world.
import type { Teller } from "./teller.ts";

/** A merchant beside the first one: it comes, waits for a while, and leaves. */
export async function merchants({ app, tell }: Teller): Promise<void> {
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
  await tell("suspendMerchant", { key, path });
  await tell("reactivateMerchant", { key, path });
  await tell("closeMerchant", { key, path });
}
