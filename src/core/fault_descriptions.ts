// What each code of a refusal means, in words: `GET /errors` and the reference show them.
import type { FaultCode } from "./faults.ts";

/** What a client reads of a code. */
interface FaultDescription {
  /** When it happens. */
  readonly when: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** The words of every code: one without words does not compile. */
export const faultDescriptions: Readonly<Record<FaultCode, FaultDescription>> = {
  malformed_request: {
    when: "The body is no JSON: it does not parse, is not UTF-8, or is nested more than 32 levels deep.",
    remedy: "Send one JSON value in UTF-8. Any JSON library writes it; text put together by hand often is not JSON.",
  },
  malformed_header: {
    when: "A header cannot be used: Idempotency-Key, If-Match, If-None-Match or Host.",
    remedy: "Correct the header that the message names, or leave it out where it is optional.",
  },
  invalid_cursor: {
    when: "The cursor was changed, or comes from another list or from the same list with other filters.",
    remedy:
      "Send next_cursor unchanged, with the same filters and sort. To change the filters, begin without a cursor.",
  },
  authentication_required: {
    when: "There is no Authorization header of the form Bearer ph_…, and no session that is still open.",
    remedy: "Send the API key as Authorization: Bearer ph_live_… or ph_test_…; in a browser, sign in.",
  },
  invalid_api_key: {
    when: "The key is not one of this service, or was copied incompletely.",
    remedy: "Copy the whole key, 44 characters. A key that was lost cannot be shown again: make another.",
  },
  api_key_revoked: {
    when: "The key was revoked.",
    remedy: "Use another key, or make one with a key of full permission or on the command line.",
  },
  api_key_expired: {
    when: "The key's expiry has passed.",
    remedy: "Use another key. Rotate keys before they expire.",
  },
  invalid_credentials: {
    when: "The e-mail address or the password is wrong, or the user may not sign in.",
    remedy:
      "Try again, or have an owner or the command line (packhouse users reset) give you a link to a new password.",
  },
  invalid_link: {
    when: "The link was used before, has expired, or was copied incompletely.",
    remedy: "Get a new one: where there is no user yet by a restart, else by packhouse users reset.",
  },
  invalid_signature: {
    when: "A signed link or a call of a platform or carrier carries no valid signature, or one that has expired.",
    remedy: "Get a new link, or compare the secret on both sides. The signature covers the bytes exactly as sent.",
  },
  second_factor_required: {
    when: "The password is right, and this user has a second factor.",
    remedy: "Send the code as well.",
  },
  second_factor_invalid: {
    when: "The code of the second factor is wrong, was used before, or is too old.",
    remedy: "Send the code that is shown now.",
  },
  second_factor_setup_required: {
    when: "The user is an owner without a second factor, and the service can be reached from other machines.",
    remedy: "Set one up: POST /users/me/second_factor, then …/confirm with a code of the app.",
  },
  cross_site_request: {
    when: "A browser sent a request with a session's cookie from a page of another address than the service's own.",
    remedy: "Open the dashboard at its own address. Behind a proxy, set PACKHOUSE_BASE_URL to that address.",
  },
  insecure_connection: {
    when: "A sign-in over plain http from another machine, where others could read the password.",
    remedy: "Start with --tls self, --tls-cert and --tls-key, or a proxy and PACKHOUSE_BASE_URL=https://….",
  },
  insufficient_permission: {
    when:
      "The key's permission is lower than the route needs (required and granted say which), or the user's role lacks" +
      " the permission.",
    remedy: "Use a key with the permission that required names, or have an owner give the user another role.",
  },
  ip_not_allowed: {
    when: "The key may be used from certain addresses only, and the request came from another.",
    remedy: "Send it from an address on the key's list, or have the list changed.",
  },
  not_for_merchants: {
    when:
      "A merchant's key asks for what only the house does, such as to pick, ship or set up bins, or its merchant" +
      " is closed.",
    remedy:
      "Ask the warehouse to do it, or use a key of the house. Several merchants in the reference tells what it" +
      " may do.",
  },
  merchant_suspended: {
    when: "The merchant is suspended: its people see everything and create orders, which wait, but change nothing.",
    remedy: "Ask the warehouse: it suspends merchants and reactivates them.",
  },
  view_only: {
    when: "A user of the house looks on as a merchant, and this would change something.",
    remedy: "End the view (DELETE /v1/users/me/view_as), then do it as the house.",
  },
  route_not_found: {
    when: "There is no such path.",
    remedy: "Compare it with the reference. Paths begin with /v1 and end without a slash.",
  },
  resource_missing: {
    when: "There is no record with this identifier. For one in the body, details names the field.",
    remedy: "Check the identifier, and that the key is of the mode in which it was made: live and test share nothing.",
  },
  method_not_allowed: {
    when: "The path exists, but not with this method.",
    remedy: "Use one of the methods in the Allow header.",
  },
  ambiguous_identifier: {
    when: "The text is the number of one order and the identifier of another.",
    remedy: "Write the identifier with its prefix, such as ord_1042.",
  },
  bin_full: {
    when: "The bin has no room for so many units.",
    remedy: "Name another bin, or fewer units; free says how many fit.",
  },
  bin_of_other_merchant: {
    when: "The bin holds another merchant's goods, or is kept for that merchant: merchant_id says whose it is.",
    remedy:
      "Name another bin, or let this one hold goods of several merchants: mix_merchants of PATCH /inventory/locations.",
  },
  customer_erased: {
    when: "The customer was erased: nothing of a person is kept under this id any more.",
    remedy: "Create a new customer: POST /customers.",
  },
  duplicate_connection: {
    when:
      "The store of the e-commerce platform is connected already, or there is a carrier account with these" +
      " credentials; existing_id names it.",
    remedy: "Change the one that there is by PATCH, or delete it first.",
  },
  duplicate_email: {
    when: "There is a customer, or a user, with this e-mail address already; existing_id names it.",
    remedy: "Update that one, or use another address.",
  },
  duplicate_label: {
    when: "An equal label was bought for this order within the last ten minutes; label_id names it.",
    remedy: "Use that label. For a second equal parcel send additional: true.",
  },
  duplicate_order_number: {
    when: "There is an order with this number already; existing_id names it.",
    remedy: "Read that order: the request may have succeeded before. A new order needs a number of its own.",
  },
  duplicate_sku: {
    when: "There is a product with this SKU already; existing_id names it.",
    remedy: "Update that product, or use another SKU.",
  },
  duplicate_subscription: {
    when: "There is a subscription of these events to this address already.",
    remedy: "Update that subscription, or delete it first.",
  },
  idempotency_key_in_use: {
    when: "A request with this Idempotency-Key is still being worked on.",
    remedy: "Send it again after the seconds that Retry-After says; then its answer is there.",
  },
  insufficient_inventory: {
    when: "There are fewer units than requested; shortages names every SKU that is short.",
    remedy: "Ask for fewer, add stock, or let the order wait for stock (allow_backorder).",
  },
  invalid_state_transition: {
    when: "The record's state does not allow this action; allowed_actions says what it allows.",
    remedy: "Read the record again and take one of its allowed actions.",
  },
  key_limit: {
    when: "As many API keys are in use as one mode may have.",
    remedy: "Revoke a key that is not needed any more, then make the new one.",
  },
  label_in_progress: {
    when: "The label is being bought or voided at its carrier this very moment.",
    remedy: "Get the label again in a few seconds: then it is completed, voided, or says why it failed.",
  },
  label_not_voidable: {
    when: "The label's parcel has left, or the carrier refuses to void it.",
    remedy: "Create a return instead.",
  },
  last_owner: {
    when: "No owner who can sign in would be left.",
    remedy: "Make another user an owner first.",
  },
  lot_not_pickable: {
    when: "The lot is on hold, quarantined, recalled, damaged or past its expiry.",
    remedy: "Pick from another lot, or make the lot available again if it is sound.",
  },
  backups_not_configured: {
    when: "The service makes no backups by itself, since it was not told where to.",
    remedy: "Start it with --backup-to, or set PACKHOUSE_BACKUP_TO.",
  },
  mail_not_configured: {
    when: "No mail server is configured.",
    remedy: "Set PACKHOUSE_SMTP_URL, PACKHOUSE_MAIL_TO and, if you like, PACKHOUSE_MAIL_FROM, and start it again.",
  },
  merchant_closed: {
    when: "The merchant is closed: what there is of it can be read, and nothing new is made for it.",
    remedy: "Name another merchant. One that is closed stays closed: for business that goes on make a new one.",
  },
  merchant_not_empty: {
    when:
      "The merchant still has open orders or units in stock, in the world that world names; open_orders and units say" +
      " how many.",
    remedy:
      "Ship or cancel the orders and take the stock out, then close it. In the test world that goes for what was only" +
      " tried.",
  },
  no_suggestion: {
    when: "The last check of the address suggests nothing better, or its suggestion was accepted already.",
    remedy: "Read the address again: its verification says what was found. To change it, send the new fields.",
  },
  nothing_to_manifest: {
    when: "No label of the carrier waits for a manifest, or another manifest has just taken the named ones.",
    remedy: "Look at GET /shipping/manifests for the manifest that has them, or name a carrier or a day with labels.",
  },
  nothing_to_return: {
    when: "Every shipped unit of the order is being returned already, or none was shipped.",
    remedy: "Check the order's shipments and its other returns.",
  },
  orders_open: {
    when: "A person is to be erased who has orders, returns or labels that are not over: their address is needed.",
    remedy: "Deliver, cancel or close what orders, returns and labels name, or send after_days.",
  },
  payload_expired: {
    when:
      "The event's data was deleted since it was too old or a person was erased, or so was the response that is" +
      " repeated for this Idempotency-Key.",
    remedy: "Read the record that it was about. The request was carried out, and is not carried out again.",
  },
  quantity_conflict: {
    when: "The stock is not what the request expects, since it has moved in the meantime.",
    remedy: "Read the stock again, then decide anew.",
  },
  rate_card_overlap: {
    when: "Another active rate card of the same service is in effect at the same time; rate_card_id names it.",
    remedy: "Give that card an effective_to that is not after this one's effective_from, or make one of them inactive.",
  },
  reservation_closed: {
    when: "The reservation is over: released, expired or used up.",
    remedy: "Reserve anew.",
  },
  reservation_committed: {
    when: "The reservation belongs to an order by now.",
    remedy: "Change or cancel the order instead.",
  },
  return_not_inspected: {
    when: "The return has not been received and inspected yet.",
    remedy: "Receive and inspect it first.",
  },
  rotation_in_progress: {
    when: "The secret before the last rotation is still valid, and there may be one such secret only.",
    remedy: "Wait until it ends, or rotate with overlap_seconds: 0, which ends it at once.",
  },
  subscription_disabled: {
    when: "The webhook subscription is paused or disabled.",
    remedy: "Switch it on first: PATCH /webhooks/{id} with active: true.",
  },
  subscription_limit: {
    when: "There are as many webhook subscriptions as one mode may have.",
    remedy: "Delete one that is not needed any more.",
  },
  would_break_reservations: {
    when: "The stock would sink below the units reserved for orders.",
    remedy: "Adjust less, or send allow_shortfall: true, which lets the least urgent orders wait.",
  },
  would_lock_out: {
    when: "No API key with full permission would be left, or the key could not be used from your own address any more.",
    remedy:
      "Make another key with full permission first, or send allow_lockout: true; the command line makes keys, too.",
  },
  write_conflict: {
    when: "Other requests kept changing the same records at the same time. Nothing was changed.",
    remedy: "Send the request again.",
  },
  precondition_failed: {
    when: "The record has changed since the version that If-Match names; the ETag header names its version now.",
    remedy: "Read the record again, apply the change to it, and send that with the new ETag.",
  },
  payload_too_large: {
    when: "The body is larger than the route takes: 1 MiB of JSON, 10 MiB of CSV.",
    remedy: "Split it: several smaller requests, or several files.",
  },
  unsupported_media_type: {
    when: "The body is declared as another type than the route takes, or it is compressed.",
    remedy: "Send Content-Type: application/json (text/csv for imports) and no Content-Encoding.",
  },
  ambiguous_stock: {
    when: "Several bins or lots match, and the request names none of them.",
    remedy: "Name bin, lot_number or warehouse, so that one place remains.",
  },
  blocked_address: {
    when: "The address of a webhook, platform or carrier is not public, so nothing may be sent to it.",
    remedy: "Use a public HTTPS address. The operator can open private ranges by PACKHOUSE_WEBHOOK_ALLOW_CIDRS.",
  },
  idempotency_key_reused: {
    when:
      "This Idempotency-Key was used for another request: another method, path, query or body. This is checked before" +
      " anything that may be wrong with the body.",
    remedy: "Make a new key for each new request, and keep it for repetitions of the same request only.",
  },
  immutable_field: {
    when: "The request gives another value to a field that cannot change.",
    remedy:
      "Leave the field out, or send the value it has. What the field stands for changes by another route, if any.",
  },
  merchant_required: {
    when: "There are several merchants, and nothing in the request decides whose record is meant or made.",
    remedy:
      "Send the header Packhouse-Merchant or the field merchant_id with a code or an id, or name the record by its id.",
  },
  refund_exceeds_amount: {
    when: "The refund is more than what is left to be refunded of this return.",
    remedy: "Refund at most the amount that the message names.",
  },
  validation_failed: {
    when: "Fields of the body, the query or the path are missing, unknown, or not of the form they must have.",
    remedy: "Correct the fields in details, which has all of them. Nothing was changed.",
  },
  quote_expired: {
    when: "The quote is older than fifteen minutes.",
    remedy: "Ask for the rates again, and buy with the new quote.",
  },
  quote_mismatch: {
    when: "The quote was given for another parcel, another order or other addresses.",
    remedy: "Ask for the rates of this parcel, or send the parcel for which the quote was given.",
  },
  quote_used: {
    when: "A label was bought with the quote already.",
    remedy: "Ask for the rates again for another label.",
  },
  rate_limited: {
    when:
      "There were too many requests with this key, too many failed ones from this address, too many that follow" +
      " one link, or too many tests of e-mail.",
    remedy: "Wait for as many seconds as Retry-After says, then go on more slowly.",
  },
  headers_too_large: {
    when:
      "The first line and the headers of the request have more than 16 KiB together, or it has more than 100 headers." +
      " Beyond 64 KiB or 198 lines of headers it is answered with the status alone.",
    remedy: "Send less: the usual cause is cookies, what proxies add, or a very long query.",
  },
  internal_error: {
    when: "Something went wrong on our side. Nothing was changed.",
    remedy:
      "Send it again with the same Idempotency-Key. If it recurs, report the request_id: the log has the details.",
  },
  carrier_refused: {
    when: "The carrier does not carry this parcel as requested, or was not paid.",
    remedy: "Read the message: it repeats what the carrier said. Change the parcel, the addresses or the service.",
  },
  carrier_unauthorized: {
    when: "The carrier does not accept the credentials of the account.",
    remedy: "Correct the credentials of the carrier account, and test it.",
  },
  carrier_error: {
    when: "The carrier refused or failed.",
    remedy: "Read the message: it repeats what the carrier said. Send it again if the carrier was out of order.",
  },
  carrier_timeout: {
    when: "The carrier did not answer in time.",
    remedy: "Send it again with the same Idempotency-Key: a label that was bought is not bought twice.",
  },
  platform_error: {
    when: "The e-commerce platform refused or did not answer.",
    remedy: "Check the connection's address and token, then send it again.",
  },
  storage_full: {
    when: "There is no room left to store anything. Reads go on.",
    remedy: "Make room on the server, then send the request again.",
  },
  storage_unavailable: {
    when: "The database cannot be written at the moment.",
    remedy: "Send the request again after the seconds that Retry-After says.",
  },
  unavailable: {
    when: "The service is stopping or too busy.",
    remedy: "Send the request again after the seconds that Retry-After says.",
  },
};
