import { Elysia } from "elysia";
import type { Actor } from "../core/actor.ts";
import { readId } from "../core/ids.ts";
import { bodyOf, queryOf } from "../core/schema.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { EnvelopedView, enveloped, ListView } from "../http/envelope.ts";
import { answerList } from "../http/pagination.ts";
import { answerLongWork, answerRead, answerWrite, jsonResponse, writeFor } from "../http/response.ts";
import { documentedAs } from "../http/route.ts";
import type { Service } from "../http/service.ts";
import { NoFields } from "../orders/order.schema.ts";
import type { Db, Tx } from "../storage/database.ts";
import { type RetentionChange, retentionView } from "../storage/retention.ts";
import { type AccessExportSubject, exportPersonalData } from "./access_export.jobs.ts";
import { visibleReceivers } from "./access_export.sql.ts";
import { cancelErasure, eraseCustomer, eraseEmail } from "./erase_person.ts";
import { type Erasure, erasureView, retentionPeriods } from "./erasure.ts";
import { countErasures, getErasure, listErasures } from "./erasures.sql.ts";
import {
  CancelledView,
  DiscloseEmail,
  DisclosureView,
  EraseCustomer,
  EraseEmail,
  ErasureView,
  ListErasures,
  RetentionView,
  UpdateRetention,
} from "./privacy.schema.ts";
import { retentionIn, saveRetention } from "./retention_settings.sql.ts";

const documented = documentedAs({ needs: "privacy.manage", chapter: "Privacy" });
// Long enough to search the logs of a large operator.
const export_timeout_seconds = 600;

/** Routes for exporting and erasing the personal data of customers. */
export const privacyRoutes = (service: Service) =>
  new Elysia()
    .use(conventions)
    .use(erasureRoutes(service))
    .post("/customers/:id/disclosure", ({ call, params }) => exportData(call, service, { customer: params.id }), {
      body: bodyOf(NoFields),
      detail: documented({
        id: "discloseCustomer",
        summary: "Export the personal data of a customer",
        description:
          "Returns every record of the person at the merchant by kind, with events and logs, and platform orders and" +
          " returns with their email address. For the operator it includes the request log and stored responses. It" +
          " takes as long as reading the events since the customer was created. The audit log records who asked." +
          " The response is not stored for an `Idempotency-Key`: a repeated request returns the data of that time.",
        answers: { 200: EnvelopedView(DisclosureView) },
      }),
    })
    .post("/disclosures", ({ call, body }) => exportData(call, service, body), {
      body: bodyOf(DiscloseEmail),
      detail: documented({
        id: "discloseEmail",
        summary: "Export the personal data of an email address",
        description:
          "As for a customer, for all customers who have or had the address; empty if there is none. The address is" +
          " in the body, so that it is not logged. The response is not stored.",
        answers: { 200: EnvelopedView(DisclosureView) },
      }),
    });

const erasureRoutes = (service: Service) =>
  new Elysia()
    .use(conventions)
    .post(
      "/customers/:id/erasure",
      ({ call, params, body: { after_days = null } }) =>
        begin(call, service, (tx, actor) => eraseCustomer(tx, params.id, { actor, after_days })),
      {
        body: bodyOf(EraseCustomer),
        detail: documented({
          id: "eraseCustomer",
          summary: "Erase the personal data of a customer",
          description:
            "Removes names, addresses, phone numbers, notes and everything else that identifies the person from the" +
            " customer and their orders, labels, returns and scans. Events about them, responses to webhooks and" +
            " responses stored for an `Idempotency-Key` lose their whole payload, and pending deliveries of such" +
            " events are cancelled." +
            " Sales, shipments and payments stay without names, and the ledger is unchanged. This cannot be undone." +
            " `rest_gone_by` is when the last trace in logs is gone; the response also lists manual steps and what is" +
            " kept. `GET /erasures/{id}` shows the progress. Another request returns the same erasure.",
          refuses: ["orders_open"],
          answers: { 202: EnvelopedView(ErasureView) },
        }),
      },
    )
    .post(
      "/erasures",
      ({ call, body: { email, after_days = null } }) =>
        begin(call, service, (tx, actor) => eraseEmail(tx, email, { actor, after_days })),
      {
        body: bodyOf(EraseEmail),
        detail: documented({
          id: "eraseEmail",
          summary: "Erase the personal data of an email address",
          description:
            "As for a customer, for all customers who have or had the address, and for records without a customer:" +
            " platform orders that were never imported, and returns.",
          refuses: ["orders_open"],
          answers: { 202: EnvelopedView(ErasureView) },
        }),
      },
    )
    .get("/erasures", ({ call, query }) => list(call, query, service), {
      query: queryOf(ListErasures),
      detail: documented({
        id: "listErasures",
        summary: "List erasures, newest first",
        description: "With `customer_id`, lists only those of one customer, whom only the id identifies afterwards.",
        answers: { 200: ListView(ErasureView) },
      }),
    })
    .get("/erasures/:id", ({ call, params }) => get(call, params.id, service), {
      detail: documented({
        id: "getErasure",
        summary: "Get the progress of an erasure",
        answers: { 200: EnvelopedView(ErasureView) },
      }),
    })
    .delete("/erasures/:id", ({ call, params }) => end(call, params.id), {
      detail: documented({
        id: "cancelErasure",
        summary: "Cancel a pending erasure",
        description: "Only an erasure that has not started can be cancelled. One that has started cannot be undone.",
        refuses: ["invalid_state_transition"],
        answers: { 200: EnvelopedView(CancelledView) },
      }),
    });

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

/** Starts an erasure and responds with it. */
function begin(call: Call, service: Service, work: (tx: Tx, actor: Actor) => Promise<Erasure>): Promise<Response> {
  return answerWrite(call, 202, async (tx) => {
    const [erasure] = await shown(tx, call, [await work(tx, call.actor)]);
    return (await viewIn(tx, service))(erasure as Erasure);
  });
}

function end(call: Call, id: string): Promise<Response> {
  return answerWrite(call, 200, async (tx) => {
    await cancelErasure(tx, id);
    return { id, cancelled: true };
  });
}

function get(call: Call, id: string, service: Service): Promise<Response> {
  return answerRead(call, async (db) => {
    const [erasure] = await shown(db, call, [await getErasure(db, id)]);
    return (await viewIn(db, service))(erasure as Erasure);
  });
}

async function list(call: Call, query: ListErasures, service: Service): Promise<Response> {
  const view = await call.store.read((db) => viewIn(db, service));
  const { customer_id } = query;
  // No customer has the id 0.
  const customer = customer_id === undefined ? null : (readId("customer", customer_id) ?? 0);
  return answerList(
    call,
    query,
    {
      rows: async (db, window) => shown(db, call, await listErasures(db, customer, window)),
      count: (db) => countErasures(db, customer),
      position: ({ created_at, id }) => [created_at, id],
    },
    (rows) => rows.map(view),
  );
}

function exportData(call: Call, service: Service, person: AccessExportSubject): Promise<Response> {
  service.waitFor(call.request, export_timeout_seconds);
  return answerLongWork(call, async () => {
    const data = await exportPersonalData(call.store, person, {
      flags: service,
      for_operator: call.merchant_id === null,
    });
    const now = Date.parse(data.told_at);
    // The response itself is not stored: it contains personal data.
    await writeFor(call, async (tx) => call.recording?.note(tx, call, 200, data.about));
    return jsonResponse(call, 200, JSON.stringify(enveloped(data, call.request_id, now)));
  });
}

const documentedRetention = documentedAs({ needs: "house.manage", chapter: "Privacy" });

/** Routes of the retention times, which each environment has separately. */
export const retentionRoutes = (service: Service) =>
  new Elysia({ prefix: "/settings/retention" })
    .use(conventions)
    .get("", ({ call }) => answerRead(call, async (db) => retentionView(await retentionIn(db, service), service)), {
      detail: documentedRetention({
        id: "getRetention",
        summary: "Get retention times",
        answers: { 200: EnvelopedView(RetentionView) },
      }),
    })
    .patch(
      "",
      ({ call, body }) =>
        answerWrite(call, 200, async (tx) => {
          await saveRetention(tx, body as RetentionChange);
          return retentionView(await retentionIn(tx, service), service);
        }),
      {
        body: bodyOf(UpdateRetention),
        detail: documentedRetention({
          id: "updateRetention",
          summary: "Set retention times",
          description:
            "Sets how long each kind of record is kept, separately for live and test data. Older records are deleted" +
            " nightly. A longer time does not restore deleted records.",
          answers: { 200: EnvelopedView(RetentionView) },
        }),
      },
    );
