import { invalid } from "../core/faults.ts";
import type { PostalAddress } from "../core/postal_address.ts";
import type { Call } from "../http/call.ts";
import { EnvelopedView } from "../http/envelope.ts";
import { answerRead } from "../http/response.ts";
import { respond, routes } from "../http/routes.ts";
import { type CheckedAddress, ChecksView, VerifyAddresses } from "./address.schema.ts";
import { type AddressVerification, isVerified, verificationView } from "./address.ts";
import { type AskCarrier, type CarrierAnswer, isWorthAsking, verificationOf } from "./carrier_verification.ts";
import { verifyOffline } from "./verify_address.ts";

/** The route that checks addresses without storing anything. `ask` calls a carrier that can verify addresses. */
export const addressRoutes = (ask: AskCarrier) =>
  routes("Addresses", [
    respond("POST", "/addresses/verify", "customers.read", {
      id: "verifyAddresses",
      summary: "Verify up to 100 addresses",
      description:
        "Reports what is wrong with an address and suggests a correction, without storing anything. An active" +
        " carrier account that can verify addresses is asked, for up to 8 seconds; otherwise bundled data decides," +
        " which knows countries, postal codes, and the state and city of each ZIP code, but no streets. `method`" +
        " names the source.",
      body: VerifyAddresses,
      answers: { 200: EnvelopedView(ChecksView) },
      answer: ({ call, body }) => verify(call, body, ask),
    }),
  ]);

async function verify(call: Call, body: VerifyAddresses, ask: AskCarrier): Promise<Response> {
  const addresses = requestedAddresses(body);
  const worth = body.offline === true ? [] : addresses.filter(isWorthAsking);
  const answers = worth.length === 0 ? null : await ask(call.store.mode, worth);
  return answerRead(call, async (db) => {
    const offline = await verifyOffline(db, addresses);
    const views = addresses.map((address, at) => {
      const answer = answers?.[worth.indexOf(address)] ?? null;
      return checkView(address, offline[at] as AddressVerification, answer);
    });
    return body.addresses === undefined ? views[0] : views;
  });
}

/** The addresses in a request: `address` or `addresses`. Refuses: validation_failed. */
function requestedAddresses({ address, addresses }: VerifyAddresses): PostalAddress[] {
  if (address !== undefined && addresses !== undefined) throw invalid("addresses", "cannot be combined with address");
  const asked = addresses ?? (address === undefined ? [] : [address]);
  if (asked.length === 0) throw invalid("address", "is required (or `addresses` for several)", "required");
  return asked.map(readAddress);
}

function readAddress(given: CheckedAddress): PostalAddress {
  return {
    address_line1: given.address_line1 ?? "",
    address_line2: given.address_line2 ?? null,
    city: given.city ?? "",
    state: given.state ?? null,
    postal_code: given.postal_code ?? null,
    country: given.country ?? "",
  };
}

const offline_note = "Compared with bundled postal data, which cannot confirm streets or house numbers.";

function checkView(address: PostalAddress, offline: AddressVerification, answer: CarrierAnswer | null) {
  const found = answer !== null && "found" in answer ? answer : null;
  const checked = found === null ? offline : verificationOf(address, found.connector, found.found, offline.checked_at);
  return {
    ...verificationView(checked),
    is_verified: isVerified(checked),
    note: found === null ? offline_note : null,
    messages: answer !== null && "message" in answer ? [answer.message] : [],
  };
}
