// What merchants are shown of labels that carriers sell. An account, what it is charged and what it answers are between
// the operator and the carrier.
import { Fault } from "../../kit/fault.ts";
import type { Label, labelView } from "./label.ts";

type Shown = ReturnType<typeof labelView>;

/** The view of a label without what is the operator's own. */
export function forMerchant(shown: Shown): Shown {
  const { account_id, carrier, error } = shown;
  const hidden = { ...shown, account_id: null, carrier_cost: null, breakdown: null };
  if (account_id === null || error === null) return hidden;
  const message =
    error.code === "purchase_unknown"
      ? `It is not known whether the carrier ${carrier} sold this label. Ask the operator of the warehouse.`
      : notDone("sold", carrier);
  return { ...hidden, error: { code: error.code, message } };
}

const notDone = (done: "sold" | "voided", carrier: string) =>
  `The carrier ${carrier} has not ${done} this label. Ask the operator of the warehouse why.`;

const told = ["label_id", "permanent", "retry_after_seconds"];

/** Why a carrier did not sell or void a label, as it is told to who asks. */
export function refusalFor(
  { merchant_id }: { readonly merchant_id: number | null },
  done: "sold" | "voided",
): (label: Label, fault: Fault) => Fault {
  return ({ carrier }, fault) => {
    if (merchant_id === null) return fault;
    const facts = Object.fromEntries(Object.entries(fault.facts).filter(([name]) => told.includes(name)));
    return new Fault(fault.code, notDone(done, carrier), facts);
  };
}
