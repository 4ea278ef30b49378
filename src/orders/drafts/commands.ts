import { verifyOffline } from "../../addresses/commands.ts";
import type { Address } from "../../customers/customer.ts";
import type { Tx } from "../../database/store.ts";
import type { Named } from "./rules.ts";

type Recipient = Named["recipient"];

/** Recipients whose addresses are checked: those of before there were checks are checked now, in one query for all. */
export async function checkedRecipients(tx: Tx, recipients: readonly Recipient[]): Promise<Recipient[]> {
  const old = recipients.flatMap((recipient) => {
    const address = recipient?.address ?? null;
    return address !== null && address.verification === null ? address : [];
  });
  if (old.length === 0) return [...recipients];
  const found = await verifyOffline(tx, old);
  const checked = new Map(old.map((address, at) => [address, { ...address, verification: found[at] ?? null }]));
  return recipients.map((recipient) => {
    return recipient && { ...recipient, address: checked.get(recipient.address as Address) ?? recipient.address };
  });
}
