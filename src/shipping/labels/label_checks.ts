import { createHash } from "node:crypto";
import { Fault } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import type { RateQuote } from "../rates/quote.ts";
import { isBeingBought, isBeingVoided } from "./label.transitions.ts";
import type { LabelWarning, ShippingLabel } from "./label.ts";

/** The time within which an equal purchase counts as a mistake, in milliseconds. */
export const duplicate_within_ms = 10 * 60_000;

/** The carrier, service and account in a purchase. */
export interface NamedOffer {
  readonly carrier?: string | undefined;
  readonly service?: string | undefined;
  readonly account_id?: string | number | null | undefined;
}

/** Creates the refusal of a purchase whose fields differ from its quote. */
export function notQuoted(fields: readonly string[]): Fault {
  const message = "differs from the quote";
  return new Fault("quote_mismatch", `${fields.join(", ")} ${message}.`, {
    fields: fields.map((field) => ({ field, code: "quote_mismatch", message })),
  });
}

/** Refuses a purchase that names another carrier, service or account than its quote. Refuses: quote_mismatch. */
export function checkQuotedNames({ offer, account_id }: RateQuote, requested: NamedOffer): void {
  const fields = (["carrier", "service"] as const).filter(
    (name) => requested[name] !== undefined && requested[name] !== offer[name],
  );
  const account = requested.account_id == null ? account_id : readId("carrier_account", requested.account_id);
  const differing = [...fields, ...(account === account_id ? [] : ["account_id"])];
  if (differing.length > 0) throw notQuoted(differing);
}

/** Refuses a label that is being bought or voided. Refuses: label_in_progress. */
export function refuseInProgress({
  id,
  status,
  void_status,
}: Pick<ShippingLabel, "id" | "status" | "void_status">): void {
  const activity = isBeingBought(status) ? "bought" : isBeingVoided(void_status) ? "voided" : null;
  if (activity === null) return;
  throw new Fault(
    "label_in_progress",
    `A label is being ${activity} at its carrier. Send the request again in a few seconds.`,
    {
      label_id: wireId("label", id),
      retry_after_seconds: 5,
    },
  );
}

/** Refuses to void a label whose parcel has left. Refuses: label_not_voidable. */
export function refuseLeft({ shipment_id }: ShippingLabel, in_house: ReadonlySet<number>): void {
  if (shipment_id === null || in_house.has(shipment_id)) return;
  throw new Fault("label_not_voidable", "The parcel has left. Create a return instead.", {
    shipment_id: wireId("shipment", shipment_id),
  });
}

/** Whether a label is for one of these parcels. */
export function isIn({ shipment_id }: Pick<ShippingLabel, "shipment_id">, parcels: ReadonlySet<number>): boolean {
  return shipment_id !== null && parcels.has(shipment_id);
}

/** Creates the warning about units in a parcel that are not reserved, with the buyer's reason if there is one. */
export function notReserved(units: { readonly sku: string; readonly quantity: number }, reason?: string): LabelWarning {
  const { sku, quantity } = units;
  const count = quantity === 1 ? `1 unit of ${sku} is` : `${quantity} units of ${sku} are`;
  const why = reason === undefined ? "Check that the parcel has them before it leaves." : `Reason: ${reason}`;
  return { field: "items", code: "not_reserved", message: `${count} labeled but not reserved. ${why}` };
}

/** Returns a digest that is equal for equal purchases. */
export function purchaseFingerprint(facts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}
