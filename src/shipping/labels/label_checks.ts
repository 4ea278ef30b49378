import { createHash } from "node:crypto";
import { Fault } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import type { RateQuote } from "../rates/quote.ts";
import { isBeingBought, isBeingVoided } from "./label.transitions.ts";
import type { LabelWarning, ShippingLabel } from "./label.ts";

/** How long after a purchase an equal one counts as a mistake. */
export const duplicate_within_ms = 10 * 60_000;

/** The carrier, service and account that a purchase names. */
export interface NamedOffer {
  readonly carrier?: string | undefined;
  readonly service?: string | undefined;
  readonly account_id?: string | number | null | undefined;
}

/** The refusal of a purchase whose named fields differ from its quote. */
export function notQuoted(fields: readonly string[]): Fault {
  const message = "differs from the quote";
  return new Fault("quote_mismatch", `${fields.join(", ")} ${message}.`, {
    fields: fields.map((field) => ({ field, code: "quote_mismatch", message })),
  });
}

/** Refuses: quote_mismatch, when a purchase names another carrier, service or account than its quote. */
export function checkQuotedNames({ offer, account_id }: RateQuote, named: NamedOffer): void {
  const fields = (["carrier", "service"] as const).filter(
    (name) => named[name] !== undefined && named[name] !== offer[name],
  );
  const account = named.account_id == null ? account_id : readId("carrier_account", named.account_id);
  const differing = [...fields, ...(account === account_id ? [] : ["account_id"])];
  if (differing.length > 0) throw notQuoted(differing);
}

/** Refuses: label_in_progress, for a label that is just being bought or voided. */
export function refuseUnderWay({
  id,
  status,
  void_status,
}: Pick<ShippingLabel, "id" | "status" | "void_status">): void {
  const doing = isBeingBought(status) ? "bought" : isBeingVoided(void_status) ? "voided" : null;
  if (doing === null) return;
  throw new Fault(
    "label_in_progress",
    `A label is being ${doing} at its carrier. Send the request again in a few seconds.`,
    {
      label_id: wireId("label", id),
      retry_after_seconds: 5,
    },
  );
}

/** Refuses: label_not_voidable, when the parcel of a label is not among those that have not left. */
export function refuseLeft({ shipment_id }: ShippingLabel, in_house: ReadonlySet<number>): void {
  if (shipment_id === null || in_house.has(shipment_id)) return;
  throw new Fault("label_not_voidable", "The parcel has left; create a return instead.", {
    shipment_id: wireId("shipment", shipment_id),
  });
}

/** Whether a label is of one of these parcels. */
export function isIn({ shipment_id }: Pick<ShippingLabel, "shipment_id">, parcels: ReadonlySet<number>): boolean {
  return shipment_id !== null && parcels.has(shipment_id);
}

/** The warning about units in a parcel that stock has not promised, with the reason that the buyer gave. */
export function notReserved(units: { readonly sku: string; readonly quantity: number }, reason?: string): LabelWarning {
  const { sku, quantity } = units;
  const count = quantity === 1 ? `1 unit of ${sku} is` : `${quantity} units of ${sku} are`;
  const why = reason === undefined ? "Check that the parcel has them before it leaves." : `Reason: ${reason}`;
  return { field: "items", code: "not_reserved", message: `${count} labeled but not reserved. ${why}` };
}

/** A text that is equal for equal purchases. */
export function purchaseFingerprint(facts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}
