// A carrier that sells labels, keeps its own records, and responds as a test says.
import { Fault } from "../../../src/core/faults.ts";
import type { CarrierPurchase } from "../../../src/shipping/carriers/connector.ts";
import { overrideCarriers } from "../../../src/shipping/carriers/connectors.ts";
import type { TestApp } from "../../build/service.ts";
import { type Fake, fakeCarrier, fakeOffer } from "../carriers/fake_carrier.ts";

/** The carrier's document for every label. */
export const drawn = new TextEncoder().encode("%PDF-1.4 a label of Swift Parcel");

/** A label in the carrier's records. */
export interface Sold {
  readonly ref: string;
  readonly tracking_number: string;
  state: "waiting" | "bought" | "voided";
  /** The number of payments for it. */
  paid: number;
}

/** Opens a carrier, and an account with it. */
export async function openSeller(app: TestApp, mode: "live" | "test" = "live") {
  const fake: Fake = fakeCarrier();
  const books = new Map<string, Sold>();
  let made = 0;
  const purchaseOf = (sold: Sold | undefined): CarrierPurchase => {
    if (sold === undefined) return { state: "not_bought" };
    if (sold.state === "waiting") return { state: "waiting" };
    return {
      state: "bought",
      bought: {
        tracking_number: sold.tracking_number,
        tracking_url: `https://swift.example/${sold.tracking_number}`,
        cost_cents: 1250,
        currency: "USD",
        carrier_ref: sold.ref,
        tracker_ref: null,
        estimated_delivery: null,
        documents: [{ kind: "label", content_type: "application/pdf", bytes: drawn }],
      },
    };
  };
  /** Takes the payment and records the purchase. */
  const sell = (ref: string, state: Sold["state"] = "bought"): CarrierPurchase => {
    const known = books.get(ref);
    const sold = known ?? { ref, tracking_number: `SWIFT${ref.replace(/\D/g, "").padStart(9, "0")}`, state, paid: 0 };
    sold.paid += 1;
    books.set(ref, sold);
    return purchaseOf(sold);
  };
  /** As an open carrier does. */
  const openUp = () => {
    fake.offers = async () => {
      const offer = (service: string, rate_cents: number) => fakeOffer({ service, rate_cents, ref: `rate_${++made}` });
      return { offers: [offer("ground", 1250), offer("air", 2900)], messages: [] };
    };
    fake.buy = async (ref) => sell(ref);
    fake.find = async (ref) => purchaseOf(books.get(ref));
    fake.void = async (ref) => {
      const sold = books.get(ref);
      if (sold?.state !== "bought" && sold?.state !== "voided") return "rejected";
      sold.state = "voided";
      return "voided";
    };
  };
  openUp();
  overrideCarriers(app.service, { fake: fake.connector });
  const key = app.keys[mode].full;
  const credentials = { api_key: `fake_key_${Bun.randomUUIDv7("hex")}` };
  const account = await app.call("POST", "/shipping/carrier_accounts", { connector: "fake", credentials }, { key });
  const account_id: string = account.body.data.id;
  await app.call("POST", `/shipping/carrier_accounts/${account_id}/test`, {}, { key });
  const asked = (what: string) => fake.asked.filter((one) => one.what === what).length;
  return { fake, books, account_id, sell, openUp, asked };
}

/** A connector's error if the result is unknown. */
export const lost = () => new Fault("carrier_timeout", "The carrier did not answer in time.");

/** A connector's error if certainly nothing was done. */
export const down = () => new Fault("carrier_error", "The carrier answered 503.", { retry_after_seconds: 30 });

/** A connector's error if the carrier refuses the parcel. */
export const refused = () => new Fault("carrier_refused", "The account's balance is too low.", { permanent: true });
