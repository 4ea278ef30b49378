import { assert } from "../core/faults.ts";
import type { Call } from "../http/call.ts";
import { EnvelopedView, enveloped, jsonResponse } from "../http/envelope.ts";
import { answerLongWork, writeFor } from "../http/response.ts";
import { list, read, respond, routes, write } from "../http/routes.ts";
import type { Service } from "../http/service.ts";
import { NoFields } from "../orders/order.schema.ts";
import type { Db } from "../storage/database.ts";
import { type RetentionChange, retentionView } from "../storage/retention.ts";
import { type AccessExportSubject, exportPersonalData } from "./access_export.jobs.ts";
import { visibleReceivers } from "./access_export.sql.ts";
import { cancelErasure, eraseCustomer, eraseEmail } from "./erase_person.ts";
import { type Erasure, erasureView, retentionPeriods } from "./erasure.ts";
import { erasureList, getErasure } from "./erasures.sql.ts";
import {
  CancelledView,
  DiscloseEmail,
  DisclosureView,
  EraseCustomer,
  EraseEmail,
  ErasureView,
  RetentionView,
  UpdateRetention,
} from "./privacy.schema.ts";
import { retentionIn, saveRetention } from "./retention_settings.sql.ts";

// Long enough to search the logs of a large operator.
const export_timeout_seconds = 600;

/** Routes for exporting and erasing the personal data of customers. */
export const privacyRoutes = (service: Service) =>
  routes("Privacy", [...erasureRows(service), ...disclosureRows(service)]);

const erasureRows = (service: Service) => [
  write("POST", "/customers/:id/erasure", "privacy.manage", {
    id: "eraseCustomer",
    summary: "Erase the personal data of a customer",
    description:
      "Starts removing everything that identifies the person from the customer and their orders, labels, returns and" +
      " scans; it cannot be undone. Events about them lose their payload, and pending deliveries are cancelled. Sales" +
      " and the ledger stay, without names. Until new data is stored, another request returns the same erasure.",
    refuses: ["orders_open"],
    body: EraseCustomer,
    view: ErasureView,
    status: 202,
    act: async (tx, { call, params, body: { after_days = null } }) =>
      viewFor(tx, call, service, await eraseCustomer(tx, params.id, { actor: call.actor, after_days })),
  }),
  write("POST", "/erasures", "privacy.manage", {
    id: "eraseEmail",
    summary: "Erase the personal data of an email address",
    description:
      "Starts an erasure as for a customer, for all customers who have or had the address, and for platform orders" +
      " and returns that contain it. The response does not reveal whether anyone has it. While an erasure of the" +
      " address is pending, another request returns the same one.",
    refuses: ["orders_open"],
    body: EraseEmail,
    view: ErasureView,
    status: 202,
    act: async (tx, { call, body: { email, after_days = null } }) =>
      viewFor(tx, call, service, await eraseEmail(tx, email, { actor: call.actor, after_days })),
  }),
  list("/erasures", "privacy.manage", {
    id: "listErasures",
    summary: "List erasures, newest first",
    description:
      "Lists requested and finished erasures, as proof of what was erased and when. Cancelled ones are gone. They" +
      " name customers only by id.",
    of: erasureList,
    view: ErasureView,
    views: async (erasures, db, { call }) => (await shown(db, call, erasures)).map(await viewIn(db, service)),
  }),
  read("/erasures/:id", "privacy.manage", {
    id: "getErasure",
    summary: "Get the progress of an erasure",
    description:
      "Returns an erasure with the records erased so far. It is complete when `status` is `done`; the last traces in" +
      " logs are gone by `fully_erased_by`.",
    view: ErasureView,
    data: async (db, { call, params }) => viewFor(db, call, service, await getErasure(db, params.id)),
  }),
  write("DELETE", "/erasures/:id", "privacy.manage", {
    id: "cancelErasure",
    summary: "Cancel a pending erasure",
    description:
      "Withdraws an erasure that still waits for open orders: `can_be_cancelled` is true. One that has started" +
      " cannot be undone. A cancelled erasure is deleted, so repeating it is 404.",
    refuses: ["invalid_state_transition"],
    view: CancelledView,
    act: async (tx, { params: { id } }) => {
      await cancelErasure(tx, id);
      return { id, cancelled: true as const };
    },
  }),
];

const disclosureRows = (service: Service) => [
  respond("POST", "/customers/:id/disclosure", "privacy.manage", {
    id: "discloseCustomer",
    summary: "Export the personal data of a customer",
    description:
      "Returns every record of the person at the merchant by kind, with events and logs; for the operator also the" +
      " request log and stored responses. It may take minutes. The audit trail records who asked. The response is" +
      " never stored, so the same `Idempotency-Key` returns the data of the new request's time.",
    body: NoFields,
    answers: { 200: EnvelopedView(DisclosureView) },
    answer: ({ call, params }) => exportData(call, service, { customer: params.id }),
  }),
  respond("POST", "/disclosures", "privacy.manage", {
    id: "discloseEmail",
    summary: "Export the personal data of an email address",
    description:
      "Returns what the export of a customer returns, for all customers who have or had the address; empty if there" +
      " is none. The address is in the body, so that it is not logged. The response is never stored.",
    body: DiscloseEmail,
    answers: { 200: EnvelopedView(DisclosureView) },
    answer: ({ call, body }) => exportData(call, service, body),
  }),
];

/** Returns erasures as the caller may see them: merchants see only their own webhooks, and not the request log. */
async function shown(db: Db, { merchant_id }: Call, rows: readonly Erasure[]): Promise<Erasure[]> {
  const ids = rows.flatMap(({ receivers }) => receivers);
  const seen = new Set(await visibleReceivers(db, ids));
  return rows.map((row) => {
    const { request_log, ...others } = row.erased;
    const erased = merchant_id === null ? row.erased : others;
    return { ...row, erased, receivers: row.receivers.filter((receiver) => seen.has(receiver)) };
  });
}

const viewIn = async (db: Db, service: Service) => {
  const kept_for = retentionPeriods(await retentionIn(db, service));
  return (erasure: Erasure) => erasureView(erasure, kept_for, db.now);
};

/** One erasure as the caller may see it. */
async function viewFor(db: Db, call: Call, service: Service, erasure: Erasure) {
  const [own] = await shown(db, call, [erasure]);
  assert(own, "each erasure is shown");
  return (await viewIn(db, service))(own);
}

function exportData(call: Call, service: Service, person: AccessExportSubject): Promise<Response> {
  service.waitFor(call.request, export_timeout_seconds);
  return answerLongWork(call, async () => {
    const data = await exportPersonalData(call.store, person, {
      flags: service,
      for_operator: call.merchant_id === null,
    });
    const now = Date.parse(data.created_at);
    // The response itself is not stored: it contains personal data.
    await writeFor(call, async (tx) => call.recording?.note(tx, call, 200, data.about));
    return jsonResponse(call, 200, JSON.stringify(enveloped(data, call.request_id, now)));
  });
}

/** Routes of the retention times, which each environment has separately. */
export const retentionRoutes = (service: Service) =>
  routes("Privacy", [
    read("/settings/retention", "operator.manage", {
      id: "getRetention",
      summary: "Get retention times",
      description:
        "Returns how long each kind of record is kept in this environment, with the default, the limits and the cost" +
        " of each.",
      view: RetentionView,
      data: async (db) => retentionView(await retentionIn(db, service), service),
    }),
    write("PATCH", "/settings/retention", "operator.manage", {
      id: "updateRetention",
      summary: "Set retention times",
      description:
        "Sets how long the kinds in the request are kept, separately for live and test data. Older records are" +
        " deleted nightly. A longer time does not restore deleted records.",
      body: UpdateRetention,
      view: RetentionView,
      act: async (tx, { body }) => {
        await saveRetention(tx, body as RetentionChange);
        return retentionView(await retentionIn(tx, service), service);
      },
    }),
  ]);
