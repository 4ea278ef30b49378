import type { AddressList } from "../../kit/address.ts";
import { Fault } from "../../kit/fault.ts";
import { clientOf, type Service } from "../service.ts";
import { traceOf } from "../trace.ts";

/** The addresses from which a key may be used; `observe` only reports what would be refused. */
export interface AddressRule {
  readonly list: AddressList;
  readonly mode: "observe" | "enforce";
}

/** Refuses a client whose address is not in the list of its key; while the list is observed, only a header says so. */
export function checkAddress(
  service: Service,
  request: Request,
  { list, mode }: AddressRule,
  headers: Record<string, string>,
): void {
  const address = clientOf(service, request);
  const allowed = address !== null && list.includes(address);
  if (mode === "observe") {
    headers["x-ip-allowlist"] = allowed ? "allowed" : "denied";
    traceOf(request).outside = !allowed;
  } else if (!allowed) throw new Fault("ip_not_allowed", "This API key may not be used from your address.");
}
