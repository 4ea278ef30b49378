// Accounts at carriers. Nobody is called: what the carrier answers is handed in.

import { handInCarriers } from "../../../src/shipping/carriers/table.ts";
import { fakeCarrier } from "../../shipping/carriers/fake.ts";
import type { Teller } from "./teller.ts";

// Not the one that the example shows, so that it can be looked for.
const api_key = `EZAK${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;

/** An account that is added, tested, changed and removed. */
export async function carriers({ app, tell }: Teller): Promise<void> {
  const fake = fakeCarrier("easypost");
  fake.check = async () => [{ code: "usps", name: "USPS", services: [{ code: "Priority", name: "Priority Mail" }] }];
  const credentials = [{ name: "api_key", secret: true, required: true, description: "The key of the account." }];
  handInCarriers(app.service, { easypost: { ...fake.connector, name: "EasyPost", credentials } });
  const made = await tell("createCarrierAccount", {
    body: { connector: "easypost", name: "EasyPost, ours", credentials: { api_key } },
  });
  const path = { id: made.data.id };
  await tell("testCarrierAccount", { path });
  await tell("getCarrierAccount", { path });
  await tell("updateCarrierAccount", { path, body: { name: "EasyPost, the main one" } });
  await tell("listCarrierAccounts");
  await tell("deleteCarrierAccount", { path });
}
