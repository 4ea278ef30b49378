import { Elysia } from "elysia";
import { bodyOf, queryOf } from "../core/schema.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { EnvelopedView, ListView } from "../http/envelope.ts";
import { answerList } from "../http/pagination.ts";
import { requireMatch } from "../http/preconditions.ts";
import { answerRead, answerWrite } from "../http/response.ts";
import { documented, documentedAs } from "../http/route.ts";
import type { Service } from "../http/service.ts";
import type { Tx } from "../storage/database.ts";
import { CreateMerchant, ListMerchants, MerchantView, UpdateMerchant } from "./merchant.schema.ts";
import { type Merchant, merchantView } from "./merchant.ts";
import { copyMerchants, openWorkSourceOf, timezoneOf } from "./merchants.jobs.ts";
import { countMerchants, getMerchant, listMerchantPage, lockMerchant } from "./merchants.sql.ts";
import { closeMerchant, createMerchant, reactivateMerchant, suspendMerchant, updateMerchant } from "./merchants.ts";

const managing = documentedAs({ needs: "merchants.manage", chapter: "Merchants" });

/** The routes of merchants. They are created and changed in live, and exist in both environments. */
export const merchantRoutes = (service: Service) =>
  new Elysia({ prefix: "/merchants" })
    .use(conventions)
    .get("", ({ call, query }) => list(call, query), {
      query: queryOf(ListMerchants),
      detail: documented({
        id: "listMerchants",
        needs: "merchants.read",
        chapter: "Merchants",
        summary: "List merchants",
        answers: { 200: ListView(MerchantView) },
      }),
    })
    .post("", ({ call, body }) => create(call, body, service), {
      body: bodyOf(CreateMerchant),
      detail: managing({
        id: "createMerchant",
        summary: "Create a merchant",
        description: "It exists in both environments under one id.",
        answers: { 201: EnvelopedView(MerchantView) },
      }),
    })
    .get("/:id", ({ call, params }) => show(call, params.id), {
      detail: documented({
        id: "getMerchant",
        needs: "merchants.read",
        chapter: "Merchants",
        summary: "Get a merchant by its id or its code",
        answers: { 200: EnvelopedView(MerchantView) },
      }),
    })
    .patch("/:id", ({ call, params, body }) => update(call, params.id, body, service), {
      body: bodyOf(UpdateMerchant),
      detail: managing({
        id: "updateMerchant",
        matches: true,
        summary: "Update a merchant",
        answers: { 200: EnvelopedView(MerchantView) },
        refuses: ["immutable_field"],
      }),
    })
    .use(actRoutes(service));

/** The acts on a merchant. */
const actRoutes = (service: Service) =>
  new Elysia()
    .use(conventions)
    .post("/:id/suspend", ({ call, params }) => act(call, params.id, suspendMerchant, service), {
      detail: managing({
        id: "suspendMerchant",
        matches: true,
        summary: "Suspend a merchant",
        description:
          "Its orders are still accepted and reserve stock, but none is sent to picking: they are held for" +
          " `merchant_suspended` until it is reactivated. Its keys and stores keep working.",
        answers: { 200: EnvelopedView(MerchantView) },
        refuses: ["invalid_state_transition"],
      }),
    })
    .post("/:id/reactivate", ({ call, params }) => act(call, params.id, reactivateMerchant, service), {
      detail: managing({
        id: "reactivateMerchant",
        matches: true,
        summary: "Reactivate a suspended merchant",
        description: "Its orders are released, unless they are on hold for another reason.",
        answers: { 200: EnvelopedView(MerchantView) },
        refuses: ["invalid_state_transition"],
      }),
    })
    .post("/:id/close", ({ call, params }) => close(call, params.id, service), {
      detail: managing({
        id: "closeMerchant",
        matches: true,
        summary: "Permanently close a merchant",
        description:
          "Requires that it has no open orders and no stock in either environment, and is not the only merchant. Its" +
          " records stay readable; its API keys stop working immediately.",
        answers: { 200: EnvelopedView(MerchantView) },
        refuses: ["invalid_state_transition", "merchant_not_empty"],
      }),
    });

function list(call: Call, query: ListMerchants): Promise<Response> {
  const filters = { status: query.status ?? null, q: query.q ?? null };
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listMerchantPage(db, filters, window),
      count: (db) => countMerchants(db, filters),
      position: ({ created_at, id }) => [created_at, id],
    },
    (merchants) => merchants.map(merchantView),
  );
}

function show(call: Call, id: string): Promise<Response> {
  return answerRead(call, async (db) => merchantView(await getMerchant(db, id)));
}

function create(call: Call, body: CreateMerchant, service: Service): Promise<Response> {
  return answerCopied(call, service, 201, async (tx) => createMerchant(tx, body, await timezoneOf(tx)));
}

function update(call: Call, id: string, body: UpdateMerchant, service: Service): Promise<Response> {
  return act(call, id, (tx) => updateMerchant(tx, id, body), service);
}

async function close(call: Call, id: string, service: Service): Promise<Response> {
  const left = await openWorkSourceOf(service.stores, id);
  return act(call, id, (tx) => closeMerchant(tx, id, left), service);
}

function act(
  call: Call,
  id: string,
  work: (tx: Tx, id: string) => Promise<Merchant>,
  service: Service,
): Promise<Response> {
  return answerCopied(call, service, 200, async (tx) => {
    await requireMatch(call, () => lockMerchant(tx, id));
    return work(tx, id);
  });
}

/** Changes a merchant in live, copies it to test, and responds with it. */
async function answerCopied(
  call: Call,
  { stores, log }: Service,
  status: number,
  work: (tx: Tx) => Promise<Merchant>,
): Promise<Response> {
  const answer = await answerWrite(call, status, async (tx) => merchantView(await work(tx)));
  await copyMerchants(stores).catch((error) => {
    log.warn("a merchant could not be copied to test yet", { error: String(error) });
  });
  return answer;
}
