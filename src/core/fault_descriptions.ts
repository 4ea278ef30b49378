// The description of each error code, shown by `GET /errors` and the reference.
import type { FaultCode } from "./faults.ts";

interface FaultDescription {
  readonly when: string;
  readonly remedy: string;
}

/** The description of every error code. A code without one does not compile. */
export const faultDescriptions: Readonly<Record<FaultCode, FaultDescription>> = {
  malformed_request: {
    when: "The body is not valid JSON: it does not parse, is not UTF-8, or is nested more than 32 levels deep.",
    remedy: "Send one JSON value in UTF-8. Build it with a JSON library instead of joining text by hand.",
  },
  malformed_header: {
    when: "A header is invalid: Idempotency-Key, If-Match, If-None-Match or Host.",
    remedy: "Correct the header that the message names, or omit it if it is optional.",
  },
  invalid_cursor: {
    when: "The cursor was modified, or belongs to another list or to other filters.",
    remedy:
      "Send next_cursor unchanged, with the same filters and sort. To change the filters, start without a cursor.",
  },
  authentication_required: {
    when: "The request has neither an Authorization header of the form Bearer ph_… nor a valid session.",
    remedy: "Send the API key as Authorization: Bearer ph_live_… or ph_test_…. In a browser, sign in.",
  },
  invalid_api_key: {
    when: "The key does not exist in this service, or was copied incompletely.",
    remedy: "Copy the whole key, 44 characters. A lost key cannot be shown again: create a new one.",
  },
  api_key_revoked: {
    when: "The key was revoked.",
    remedy: "Use another key, or create one with a full-access key or on the command line.",
  },
  api_key_expired: {
    when: "The key has expired.",
    remedy: "Use another key. Rotate keys before they expire.",
  },
  invalid_credentials: {
    when: "The email address or password is wrong, or the user is not allowed to sign in.",
    remedy: "Try again, or ask an owner or the administrator (packhouse users reset) for a link to set a new password.",
  },
  invalid_link: {
    when: "The link was already used, has expired, or was copied incompletely.",
    remedy: "Get a new link: run packhouse users reset, or restart the service if no user exists yet.",
  },
  invalid_signature: {
    when: "A signed link, or a request from a platform or carrier, has no valid signature or an expired one.",
    remedy: "Get a new link, or compare the secret on both sides. The signature covers the bytes exactly as sent.",
  },
  second_factor_required: {
    when: "The password is correct, and this user has two-factor authentication.",
    remedy: "Send the two-factor code as well.",
  },
  second_factor_invalid: {
    when: "The two-factor code is wrong, was already used, or is too old.",
    remedy: "Send the code that the app shows now.",
  },
  new_pin_required: {
    when: "The PIN is correct, but an administrator chose it.",
    remedy: "Send the PIN that the user chooses as `new_pin` as well.",
  },
  second_factor_setup_required: {
    when: "The user is an owner without two-factor authentication, and the service is reachable from other machines.",
    remedy: "Set it up: POST /users/me/second_factor, then …/confirm with a code from the app.",
  },
  cross_site_request: {
    when: "A browser sent a request with a session cookie from a page on another origin.",
    remedy: "Open the dashboard at its own URL. Behind a proxy, set PACKHOUSE_BASE_URL to that URL.",
  },
  device_not_allowed: {
    when: "A user signs in by badge on a device that no administrator has allowed, or that was revoked.",
    remedy: "Ask an administrator for a link (POST /v1/floor_devices), and open it on the device.",
  },
  insecure_connection: {
    when: "A sign-in over plain HTTP from another machine, where others could read the password.",
    remedy:
      "Start with --tls self, with --tls-cert and --tls-key, or behind a proxy with PACKHOUSE_BASE_URL=https://….",
  },
  insufficient_permission: {
    when:
      "The key's permission is lower than the route requires (see required and granted), or the user's role lacks" +
      " the permission.",
    remedy: "Use a key with the required permission, or ask an owner to change the user's role.",
  },
  ip_not_allowed: {
    when: "The key is restricted to certain IP addresses, and the request came from another.",
    remedy: "Send it from an address on the key's list, or ask for the list to be changed.",
  },
  live_only: {
    when:
      "A test key, of whatever level, requested something that exists only in the live environment: changes of" +
      " merchants, users and invitations, the audit trail, backups, email and servers.",
    remedy: "Send the request with a live key (ph_live_…) of the level in required.",
  },
  not_for_merchants: {
    when:
      "A merchant's key requested something that only the warehouse operator does, such as picking, shipping or" +
      " setting up bins, or the merchant is closed.",
    remedy:
      "Ask the warehouse to do it, or use a warehouse key. The chapter Several merchants lists what a merchant key" +
      " can do.",
  },
  merchant_suspended: {
    when:
      "The merchant is suspended: its users can see everything and create orders, which wait, but change nothing" +
      " else.",
    remedy: "Ask the warehouse to reactivate the merchant.",
  },
  view_only: {
    when: "A user of the warehouse is viewing as a merchant, and the request would change something.",
    remedy: "End the view (DELETE /v1/users/me/view_as), then repeat the request.",
  },
  route_not_found: {
    when: "The path does not exist.",
    remedy: "Compare it with the reference. Paths start with /v1 and end without a slash.",
  },
  resource_missing: {
    when: "No record has this identifier. For an identifier in the body, details names the field.",
    remedy: "Check the identifier, and that the key's mode matches: live and test share no data.",
  },
  import_pending: {
    when:
      "The id belongs to a platform's order that is still being imported. The response to the platform's notification" +
      " has named the id in advance. reason is set if an attempt has failed.",
    remedy: "Get the order again after the seconds in Retry-After. Failed attempts are repeated for two days.",
  },
  order_not_imported: {
    when:
      "The id belongs to a platform's order that was not imported, for the reason in reason: it is not paid, has" +
      " nothing to ship, or the import failed.",
    remedy:
      "An unpaid order is imported once it is paid. Otherwise remove the cause and send POST" +
      " /platforms/{id}/imports/{import_id}/retry, with connection_id as the id.",
  },
  method_not_allowed: {
    when: "The path exists, but not with this method.",
    remedy: "Use one of the methods in the Allow header.",
  },
  ambiguous_barcode: {
    when: "The scanned code names several products or lots, or can be read in several ways.",
    remedy: "Let the person choose: send the product's SKU, or the code of one of the listed readings.",
  },
  ambiguous_identifier: {
    when: "The text is the number of one order and the identifier of another.",
    remedy: "Write the identifier with its prefix, such as ord_1042.",
  },
  bin_full: {
    when: "The bin does not have room for this many units.",
    remedy: "Choose another bin or fewer units; free is the number that fit.",
  },
  bin_of_other_merchant: {
    when: "The bin holds another merchant's stock or is reserved for that merchant, named by merchant_id.",
    remedy:
      "Omit the bin, so that a suitable one is chosen. Or choose another, or allow stock of several merchants in this" +
      " one: mix_merchants of PATCH /inventory/locations.",
  },
  customer_erased: {
    when: "The customer was erased. No personal data is stored under this id any more.",
    remedy: "Create a new customer: POST /customers.",
  },
  duplicate_code: {
    when: "Another record of the same kind has this code.",
    remedy: "Choose another code. The message names the record that has it.",
  },
  nothing_to_pick: {
    when: "No order can be taken into the wave, or every order of the wave has a tote.",
    remedy: "Look at `waiting`: it lists why the orders that match the filters have to wait.",
  },
  order_cancelled: {
    when: "The order was cancelled while it was being picked or packed.",
    remedy: "Put its units back: they are a task of the kind put_back.",
  },
  surplus_item: {
    when: "More units were scanned than are needed.",
    remedy: "Leave out the extra units. `expected` is how many are still needed.",
  },
  task_taken: {
    when: "Somebody else works on the task. `claim` has their name, their device and until when.",
    remedy: "Take another task, or let a lead take this one over.",
  },
  tote_in_use: {
    when: "The tote holds units of another order.",
    remedy: "Use a free tote, or free this one once it is empty.",
  },
  wave_closed: {
    when: "The wave is not released, or it is closed or cancelled.",
    remedy: "Release a planned wave. For a closed or cancelled one, take another task.",
  },
  wrong_bin: {
    when: "The scanned bin is not one of those where the units are.",
    remedy: "Go to one of the bins in `expected`.",
  },
  wrong_lot: {
    when: "The scanned lot is not planned, and cannot be taken instead.",
    remedy: "Take one of the lots in `expected`.",
  },
  wrong_tote: {
    when: "The scanned tote is unknown, is free, or holds another order than the units are for.",
    remedy: "Use one of the totes in `expected`, or assign the tote to an order first.",
  },
  duplicate_connection: {
    when:
      "The store is already connected, or a carrier account with these credentials already exists; existing_id" +
      " names it.",
    remedy: "Update the existing one with PATCH, or delete it first.",
  },
  duplicate_email: {
    when: "A customer or user with this email address already exists; existing_id names it.",
    remedy: "Update the existing one, or use another address.",
  },
  duplicate_label: {
    when: "An identical label was bought for this order within the last ten minutes; label_id names it.",
    remedy: "Use that label. For a second identical parcel, send additional: true.",
  },
  duplicate_order_number: {
    when: "An order with this number already exists; existing_id names it.",
    remedy: "Read that order: an earlier request may have succeeded. A new order needs its own number.",
  },
  duplicate_sku: {
    when: "A product with this SKU already exists; existing_id names it.",
    remedy: "Update that product, or use another SKU.",
  },
  duplicate_subscription: {
    when: "A subscription for these events to this URL already exists.",
    remedy: "Update that subscription, or delete it first.",
  },
  file_in_use: {
    when: "The file cannot be deleted, because a record uses it, such as the branding of its merchant.",
    remedy: "Name another file in that record, or none. The file is then deleted after a day by itself.",
  },
  idempotency_key_in_use: {
    when: "A request with this Idempotency-Key is still in progress.",
    remedy: "Wait for the seconds in Retry-After, then send it again to get the response.",
  },
  insufficient_inventory: {
    when: "Fewer units are available than requested; shortages names every SKU that is short.",
    remedy: "Request fewer, add stock, or backorder the rest (allow_backorder).",
  },
  invalid_state_transition: {
    when: "The record's status does not allow this action; allowed_actions lists those it allows.",
    remedy: "Read the record again and choose one of its allowed actions.",
  },
  key_limit: {
    when: "This mode already has the maximum number of API keys.",
    remedy: "Revoke a key that is no longer needed, then create the new one.",
  },
  label_in_progress: {
    when: "The carrier is still processing the purchase or void of this label.",
    remedy: "Get the label again in a few seconds. By then it is completed or voided, or shows why it failed.",
  },
  pickup_order: {
    when: "A label or rates are requested for an order that its buyer collects.",
    remedy: "Pick and pack the order, then deliver it.",
  },
  label_not_voidable: {
    when: "The label's parcel has shipped, or the carrier refuses to void it.",
    remedy: "Create a return instead.",
  },
  labels_not_voided: {
    when: "The parcels to unpack or reopen have labels that are still valid. `label_ids` names them.",
    remedy: "Void these labels, then send the request again.",
  },
  last_owner: {
    when: "The change would leave no owner who can sign in.",
    remedy: "Make another user an owner first.",
  },
  lot_not_pickable: {
    when: "The lot is on hold, quarantined, recalled, damaged or past its expiry.",
    remedy: "Pick from another lot, or make the lot available again if it is sound.",
  },
  backups_not_configured: {
    when: "Scheduled backups are off, since no destination is configured.",
    remedy: "Start the service with --backup-to, or set PACKHOUSE_BACKUP_TO.",
  },
  mail_not_configured: {
    when: "No mail server is configured.",
    remedy: "Set PACKHOUSE_SMTP_URL, PACKHOUSE_MAIL_TO and optionally PACKHOUSE_MAIL_FROM, then restart the service.",
  },
  merchant_closed: {
    when: "The merchant is closed. Its records stay readable, but no new ones can be created.",
    remedy: "Use another merchant. A closed merchant cannot be reopened: to continue business, create a new one.",
  },
  merchant_not_empty: {
    when:
      "The merchant still has open orders or units in stock, in the environment that mode names; open_orders and" +
      " units are their numbers.",
    remedy:
      "Ship or cancel the orders and remove the stock, then close the merchant. This includes orders and stock in" +
      " test data.",
  },
  no_suggestion: {
    when: "The last check of the address has no suggestion, or it was already accepted.",
    remedy: "Read the address again: verification holds the result. To change the address, send the new fields.",
  },
  nothing_to_manifest: {
    when: "The carrier has no label without a manifest, or another manifest has just included the named ones.",
    remedy: "Find the manifest that includes them in GET /shipping/manifests, or choose a carrier or day with labels.",
  },
  nothing_to_return: {
    when: "Every shipped unit of the order is already being returned, or none was shipped.",
    remedy: "Check the order's shipments and its other returns.",
  },
  orders_open: {
    when: "The person to erase has open orders, returns or labels, which need the address.",
    remedy: "Complete or cancel the listed orders, returns and labels, or send after_days.",
  },
  payload_expired: {
    when:
      "The event's data, or the response stored for this Idempotency-Key, was deleted because of its age or an" +
      " erasure.",
    remedy: "Read the record itself. The original request was executed, and is not executed again.",
  },
  quantity_conflict: {
    when: "The stock differs from what the request expects, because it has changed.",
    remedy: "Read the stock again, then decide.",
  },
  rate_card_overlap: {
    when: "Another active rate card of the same service is in effect during the same period; rate_card_id names it.",
    remedy: "Set that card's effective_to no later than this card's effective_from, or deactivate one of them.",
  },
  reservation_closed: {
    when: "The reservation was released, has expired or is used up.",
    remedy: "Create a new reservation.",
  },
  reservation_committed: {
    when: "The reservation already belongs to an order.",
    remedy: "Change or cancel the order instead.",
  },
  return_not_inspected: {
    when: "The return has not been received and inspected yet.",
    remedy: "Receive and inspect it first.",
  },
  rotation_in_progress: {
    when: "The secret from before the last rotation is still valid, and only one previous secret can be.",
    remedy: "Wait until it expires, or rotate with overlap_seconds: 0 to end it at once.",
  },
  subscription_disabled: {
    when: "The webhook subscription is paused or disabled.",
    remedy: "Enable it first: PATCH /webhooks/{id} with active: true.",
  },
  subscription_limit: {
    when: "This mode already has the maximum number of webhook subscriptions.",
    remedy: "Delete one that is no longer needed.",
  },
  would_break_reservations: {
    when: "The stock would fall below the units reserved for orders.",
    remedy: "Adjust by less, or send allow_shortfall: true to move the least urgent orders to backorder.",
  },
  would_lock_out: {
    when: "The change would leave no full-access API key, or block your own IP address from using the key.",
    remedy:
      "Create another full-access key first, or send allow_lockout: true. Keys can also be created on the command" +
      " line.",
  },
  already_packed: {
    when: "Every unit of the order is in a packed parcel, or has shipped.",
    remedy: "Put the units aside and look up the order. To change a parcel, reopen it.",
  },
  bundle_incomplete: {
    when: "A parcel holds only a part of a bundle's set.",
    remedy: "Scan the rest of the set, or take its units out of the parcel.",
  },
  lot_expired: {
    when: "The scanned lot has expired.",
    remedy: "Put the units aside, and pick others.",
  },
  no_matching_order: {
    when: "No order that can be packed at this station needs the scanned item.",
    remedy: "Put the item back. An order may be on hold, cancelled, or packed by someone else.",
  },
  order_not_picked: {
    when: "A wave is still picking the order. The error lists what is missing.",
    remedy: "Finish picking the wave, or take the order out of it.",
  },
  order_on_hold: {
    when: "The order is on hold. The error lists the reasons.",
    remedy: "Set the order aside until the hold is released.",
  },
  tote_empty: {
    when: "The tote holds no order.",
    remedy: "Scan another tote, or the order.",
  },
  wrong_warehouse: {
    when: "The units are in another warehouse than the station.",
    remedy: "Choose a station of the warehouse that holds the units.",
  },
  write_conflict: {
    when: "Concurrent requests kept changing the same records. This request changed nothing.",
    remedy: "Send the request again.",
  },
  wrong_item: {
    when: "The scanned product is another one than expected here, or of another merchant.",
    remedy: "Put it back and scan the expected product, which the task shows.",
  },

  precondition_failed: {
    when: "The record has changed since the revision in If-Match. The ETag header is its current revision.",
    remedy: "Read the record again, reapply your change and send it with the new ETag.",
  },
  payload_too_large: {
    when: "The body is larger than the route accepts: 1 MiB of JSON, 10 MiB of CSV.",
    remedy: "Split it into several requests or files.",
  },
  unsupported_media_type: {
    when: "The body's Content-Type is not accepted by the route, or the body is compressed.",
    remedy: "Send Content-Type: application/json (text/csv for imports) and no Content-Encoding.",
  },
  ambiguous_stock: {
    when: "Several bins or lots match, and the request does not specify one.",
    remedy: "Specify bin, lot_number or warehouse so that one location matches.",
  },
  blocked_address: {
    when: "The URL of a webhook, platform or carrier is not a public address, so requests to it are blocked.",
    remedy: "Use a public HTTPS URL. The operator can allow private ranges with PACKHOUSE_WEBHOOK_ALLOW_CIDRS.",
  },
  idempotency_key_reused: {
    when:
      "This Idempotency-Key was used for a different request: another method, path, query or body. This is checked" +
      " before the body is validated.",
    remedy: "Generate a new key for each new request, and reuse a key only to repeat the same request.",
  },
  immutable_field: {
    when: "The request changes the value of a field that cannot change.",
    remedy: "Omit the field, or send its current value. If it can change at all, another route changes it.",
  },
  merchant_required: {
    when: "There are several merchants, and the request does not say which one it is for.",
    remedy: "Send the header Packhouse-Merchant or the field merchant_id with a code or an id, or use the record's id.",
  },
  refund_exceeds_amount: {
    when: "The refund is more than the refundable amount that is left on this return.",
    remedy: "Refund at most the amount in the message.",
  },
  unknown_barcode: {
    when: "No product has the scanned code as its barcode, SKU or lot number.",
    remedy: "Check what was read, which the error shows. If it is right, add the barcode to its product.",
  },
  unreadable_barcode: {
    when: "The scanned code is GS1 data with a mistake, such as a wrong check digit or a date in month 13.",
    remedy: "Scan it again. If it is printed like that, scan another label of the product or type its SKU.",
  },
  validation_failed: {
    when: "Fields of the body, query or path are missing, unknown or invalid.",
    remedy: "Correct the fields in details, which lists all of them. Nothing was changed.",
  },
  record_in_use: {
    when: "The printer, station or carton cannot be deleted, because it is in use; used_by names what uses it.",
    remedy: "End that use first. A printer or carton can be set to active: false instead.",
  },
  quote_expired: {
    when: "The quote is more than 15 minutes old.",
    remedy: "Get new rates, and buy with the new quote.",
  },
  quote_mismatch: {
    when: "The quote is for another parcel, another order or other addresses.",
    remedy: "Get rates for this parcel, or send the parcel that the quote is for.",
  },
  quote_used: {
    when: "A label was already bought with the quote.",
    remedy: "Get new rates to buy another label.",
  },
  rate_limited: {
    when:
      "Too many requests with this key, too many failed ones from this address, too many that follow one link, or" +
      " too many test emails.",
    remedy: "Wait for the seconds in Retry-After, then slow down.",
  },
  headers_too_large: {
    when:
      "The request line and headers exceed 16 KiB, or there are more than 100 headers. Beyond 64 KiB or 198 header" +
      " lines, the response is the status alone.",
    remedy: "Send less. The usual causes are cookies, headers added by proxies, or a very long query.",
  },
  internal_error: {
    when: "An unexpected error on the server. Nothing was changed.",
    remedy:
      "Send it again with the same Idempotency-Key. If it recurs, report the request_id: the server's log has the" +
      " details.",
  },
  carrier_refused: {
    when: "The carrier does not accept this parcel as requested, or was not paid.",
    remedy: "Read the message, which repeats the carrier's. Change the parcel, the addresses or the service.",
  },
  carrier_unauthorized: {
    when: "The carrier rejected the credentials of the account.",
    remedy: "Correct the carrier account's credentials, and test it.",
  },
  carrier_error: {
    when: "The carrier returned an error.",
    remedy: "Read the message, which repeats the carrier's. If the carrier was unavailable, send the request again.",
  },
  carrier_timeout: {
    when: "The carrier did not respond in time.",
    remedy: "Send it again with the same Idempotency-Key: a label is never bought twice.",
  },
  platform_error: {
    when: "The e-commerce platform returned an error or did not respond.",
    remedy: "Check the connection's URL and token, then send the request again.",
  },
  storage_full: {
    when: "The server has no space left to store data. Reads still work, except rates, whose quotes are stored.",
    remedy: "Free space on the server, then send the request again.",
  },
  storage_unavailable: {
    when: "The database cannot be written at the moment.",
    remedy: "Wait for the seconds in Retry-After, then send the request again.",
  },
  unavailable: {
    when: "The service is shutting down or overloaded.",
    remedy: "Wait for the seconds in Retry-After, then send the request again.",
  },
};
