import type { Call } from "../http/call.ts";
import { EnvelopedView } from "../http/envelope.ts";
import { requireMatch } from "../http/preconditions.ts";
import { answerWrite } from "../http/response.ts";
import { list, read, respond, routes } from "../http/routes.ts";
import type { Service } from "../http/service.ts";
import type { Tx } from "../storage/database.ts";
import { CreateMerchant, MerchantView, UpdateMerchant } from "./merchant.schema.ts";
import { type Merchant, merchantView } from "./merchant.ts";
import { copyMerchants, openWorkSourceOf, timezoneOf } from "./merchants.jobs.ts";
import { getMerchant, lockMerchant, merchantList } from "./merchants.sql.ts";
import { closeMerchant, createMerchant, reactivateMerchant, suspendMerchant, updateMerchant } from "./merchants.ts";

const acting = {
  refuses: ["invalid_state_transition"],
  matches: true,
  answers: { 200: EnvelopedView(MerchantView) },
} as const;

/** The routes of merchants. They are created and changed in live, and exist in both environments. */
export const merchantRoutes = (service: Service) => routes("Merchants", [...recordRows(service), ...actRows(service)]);

const recordRows = (service: Service) => [
  list("/merchants", "merchants.read", {
    id: "listMerchants",
    summary: "List merchants",
    description:
      "Lists all merchants, closed ones included; the list is the same in both environments. Keys and users of a" +
      " merchant cannot call it: `GET /me` shows them their own.",
    of: merchantList,
    included: { as: "merchant", rows: merchantList.ofIds },
    view: MerchantView,
    views: (merchants) => merchants.map(merchantView),
  }),
  respond("POST", "/merchants", "merchants.manage", {
    id: "createMerchant",
    summary: "Create a merchant",
    description:
      "Adds a client of the warehouse, with stock, orders, customers and webhooks of its own. It exists in both" +
      " environments under one id. Then create API keys and users for it.",
    body: CreateMerchant,
    answers: { 201: EnvelopedView(MerchantView) },
    answer: ({ call, body }) =>
      answerCopied(call, service, 201, async (tx) => createMerchant(tx, body, await timezoneOf(tx))),
  }),
  read("/merchants/:id", "merchants.read", {
    id: "getMerchant",
    summary: "Get a merchant by its id or its code",
    description:
      "Returns the merchant with its `status`, which decides whether its orders are picked, and `allowed_actions`." +
      " The record is the same in both environments.",
    view: MerchantView,
    data: async (db, { params }) => merchantView(await getMerchant(db, params.id)),
  }),
  respond("PATCH", "/merchants/:id", "merchants.manage", {
    id: "updateMerchant",
    summary: "Update a merchant",
    description:
      "Changes the fields in the request, in both environments; the `code` cannot change. A new sender or return" +
      " address applies to labels and documents made from then on.",
    refuses: ["immutable_field"],
    matches: true,
    body: UpdateMerchant,
    answers: { 200: EnvelopedView(MerchantView) },
    answer: ({ call, params, body }) => act(call, params.id, (tx, id) => updateMerchant(tx, id, body), service),
  }),
];

/** The acts on a merchant. */
const actRows = (service: Service) => [
  respond("POST", "/merchants/:id/suspend", "merchants.manage", {
    id: "suspendMerchant",
    summary: "Suspend a merchant",
    description:
      "Stops shipping for a merchant, for example over unpaid bills. Its orders are still accepted and reserve stock," +
      " but are held for `merchant_suspended` until it is reactivated. Its keys and stores keep working.",
    ...acting,
    answer: ({ call, params }) => act(call, params.id, suspendMerchant, service),
  }),
  respond("POST", "/merchants/:id/reactivate", "merchants.manage", {
    id: "reactivateMerchant",
    summary: "Reactivate a suspended merchant",
    description:
      "Resumes shipping for a suspended merchant. Shortly afterwards its orders are released, in both environments," +
      " unless they are on hold for another reason.",
    ...acting,
    answer: ({ call, params }) => act(call, params.id, reactivateMerchant, service),
  }),
  respond("POST", "/merchants/:id/close", "merchants.manage", {
    id: "closeMerchant",
    summary: "Permanently close a merchant",
    description:
      "Ends the work for a merchant; this cannot be undone. It must have no open orders and no stock in either" +
      " environment, and not be the only merchant. Its records stay readable; its API keys stop working immediately.",
    ...acting,
    refuses: ["invalid_state_transition", "merchant_not_empty"],
    answer: async ({ call, params }) => {
      const left = await openWorkSourceOf(service.stores, params.id);
      return act(call, params.id, (tx, id) => closeMerchant(tx, id, left), service);
    },
  }),
];

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
