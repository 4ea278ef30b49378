import { randomBytes } from "node:crypto";
import { Elysia } from "elysia";
import { Fault, invalid } from "../../core/faults.ts";
import { invalidChoice } from "../../core/field_problems.ts";
import { wireId } from "../../core/ids.ts";
import { bodyOf, queryOf } from "../../core/schema.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, enveloped, ListView } from "../../http/envelope.ts";
import { originOf } from "../../http/origin.ts";
import { answerList } from "../../http/pagination.ts";
import { requireMatch, tagged } from "../../http/preconditions.ts";
import { answerLongWork, answerRead, answerWrite, writeFor } from "../../http/response.ts";
import { documented, documentedAs } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { outboundOf } from "../../outbound/caller.ts";
import type { Tx } from "../../storage/database.ts";
import { accountView, type CarrierAccount, type CredentialsInput, isAddress } from "./account.ts";
import {
  AccountView,
  ConnectorsView,
  CreateAccount,
  DeletedAccountView,
  ListAccounts,
  NewAccountView,
  UpdateAccount,
} from "./accounts.schema.ts";
import { countAccounts, getAccount, listAccounts, lockAccount } from "./accounts.sql.ts";
import {
  type AccountRules,
  type AccountTestResult,
  createAccount,
  deleteAccount,
  recordTest,
  updateAccount,
} from "./accounts.ts";
import { accessTo, inTime, refusalOf } from "./call_carrier.ts";
import type { CarrierContext, OutsideCarrier } from "./connector.ts";
import { carrierCallingOf, outsideCarriersOf } from "./connectors.ts";

const managing = documentedAs({ needs: "shipping.manage", chapter: "Shipping" });

/** Routes of accounts at carriers and at services that resell many carriers. */
export const accountRoutes = (service: Service) =>
  new Elysia({ prefix: "/shipping/carrier-accounts" })
    .use(conventions)
    .post("", ({ call, body }) => create(call, body, service), {
      body: bodyOf(CreateAccount),
      detail: managing({
        id: "createCarrierAccount",
        summary: "Create a carrier account",
        description:
          "The credentials are stored sealed and never shown again. Test the account before buying labels with it.",
        refuses: ["blocked_address", "duplicate_connection"],
        answers: { 201: EnvelopedView(NewAccountView) },
      }),
    })
    .get("", ({ call, query }) => list(call, query, service), {
      query: queryOf(ListAccounts),
      detail: managing({
        id: "listCarrierAccounts",
        summary: "List carrier accounts",
        answers: { 200: ListView(AccountView) },
      }),
    })
    .get(
      "/:id",
      ({ call, params }) => answerRead(call, async (db) => viewOf(service, call)(await getAccount(db, params.id))),
      {
        detail: managing({
          id: "getCarrierAccount",
          summary: "Get a carrier account",
          answers: { 200: EnvelopedView(AccountView) },
        }),
      },
    )
    .patch("/:id", ({ call, params, body }) => update(call, params.id, body, service), {
      body: bodyOf(UpdateAccount),
      detail: managing({
        id: "updateCarrierAccount",
        summary: "Update, pause or resume a carrier account, or replace its credentials",
        matches: true,
        refuses: ["blocked_address", "duplicate_connection", "immutable_field"],
        answers: { 200: EnvelopedView(AccountView) },
      }),
    })
    .delete("/:id", ({ call, params }) => remove(call, params.id, service), {
      detail: managing({
        id: "deleteCarrierAccount",
        summary: "Delete a carrier account and keep its labels",
        matches: true,
        refuses: ["label_in_progress"],
        answers: { 200: EnvelopedView(DeletedAccountView) },
      }),
    })
    .post("/:id/test", ({ call, params }) => test(call, params.id, service), {
      detail: managing({
        id: "testCarrierAccount",
        summary: "Test the credentials of a carrier account",
        description:
          "Calls the carrier and stores the result in `last_test`, with the carriers and services that the" +
          " account lists.",
        refuses: ["carrier_error", "carrier_refused", "carrier_timeout", "carrier_unauthorized", "write_conflict"],
        answers: { 200: EnvelopedView(AccountView) },
      }),
    });

/** Routes of the connectors that accounts are created with. */
export const connectorRoutes = (service: Service) =>
  new Elysia({ prefix: "/shipping/connectors" })
    .use(conventions)
    .get(
      "",
      ({ call }) =>
        answerRead(call, async () => ({ connectors: Object.values(outsideCarriersOf(service)).map(connectorView) })),
      {
        detail: documented({
          id: "listConnectors",
          needs: "shipping.read",
          chapter: "Shipping",
          summary: "List carrier connectors and the credentials that each needs",
          answers: { 200: EnvelopedView(ConnectorsView) },
        }),
      },
    );

const connectorView = (connector: OutsideCarrier) => ({
  code: connector.code,
  name: connector.name,
  takes_callbacks: takesCallbacks(connector),
  credential_fields: connector.credentials.map(({ name, description, required, secret }) => {
    return { name, description, required, secret };
  }),
});

/** The account as this client sees it. The callback URL starts with the origin that the client used. */
function viewOf(service: Service, call: Call) {
  const origin = originOf(call);
  const connectors = outsideCarriersOf(service);
  return (account: CarrierAccount) => {
    const connector_found = connectors[account.connector];
    const connector =
      connector_found === undefined ? null : { ...connector_found, takes_callbacks: takesCallbacks(connector_found) };
    const view = accountView(account, { secret_key: service.secret_key, origin, connector });
    // A test does not change the account, so its version stays.
    return tagged(view, account.version, [view.last_test, view.carriers, view.callback_url]);
  };
}

const takesCallbacks = ({ capabilities }: OutsideCarrier) => capabilities.has("webhook");

/** The connector of an account. Refuses: validation_failed. */
function connectorOf(service: Service, name: string): OutsideCarrier {
  const connectors = outsideCarriersOf(service);
  const found = Object.hasOwn(connectors, name) ? connectors[name] : undefined;
  if (found === undefined) throw invalidChoice("connector", name, Object.keys(connectors));
  return found;
}

function rulesOf(connector: OutsideCarrier, { secret_key }: Service): AccountRules {
  const { name, credentials } = connector;
  return { name, credentials, takes_callbacks: takesCallbacks(connector), secret_key };
}

function create(call: Call, body: CreateAccount, service: Service): Promise<Response> {
  const view = viewOf(service, call);
  const rules = rulesOf(connectorOf(service, body.connector), service);
  const work = async () => {
    await refuseAddresses(call, body.credentials, service);
    const generated_secret = randomBytes(32).toString("base64url");
    const act = async (tx: Tx) => {
      const account = await createAccount(tx, body, rules, generated_secret);
      const shown = view(account);
      const is_generated = body.callback_secret === undefined && account.callback_secret !== null;
      return is_generated ? { ...shown, callback_secret: generated_secret } : shown;
    };
    return answerWrite(call, 201, act, enveloped, service.secret_key);
  };
  return answerLongWork(call, work, service.secret_key);
}

/** Refuses addresses that the service may not call. This runs before the transaction: it may have to resolve a name. */
async function refuseAddresses(call: Call, credentials: CredentialsInput, service: Service): Promise<void> {
  for (const [name, url] of Object.entries(credentials)) {
    if (!isAddress(name) || url === null) continue;
    const field = `credentials.${name}`;
    if (url.includes("?")) throw invalid(field, "must not contain a query string");
    const unfit = await outboundOf(service, call.store.mode, "operator").problem(url);
    if (unfit?.code === "blocked_address") {
      const fields = [{ field, ...unfit }];
      throw new Fault("blocked_address", "The address of the carrier's API is not public.", { fields });
    }
    if (unfit !== null) throw invalid(field, unfit.message, unfit.code);
  }
}

function update(call: Call, id: string, body: UpdateAccount, service: Service): Promise<Response> {
  const view = viewOf(service, call);
  return answerLongWork(call, async () => {
    if (body.credentials !== undefined) await refuseAddresses(call, body.credentials, service);
    return answerWrite(call, 200, async (tx) => {
      await requireVersion(tx, call, id, view);
      const { connector } = await lockAccount(tx, id);
      return view(await updateAccount(tx, id, body, rulesOf(connectorOf(service, connector), service)));
    });
  });
}

function remove(call: Call, id: string, service: Service): Promise<Response> {
  return answerWrite(call, 200, async (tx) => {
    await requireVersion(tx, call, id, viewOf(service, call));
    const { id: deleted_id } = await deleteAccount(tx, id);
    return { id: wireId("carrier_account", deleted_id), deleted: true };
  });
}

function requireVersion(tx: Tx, call: Call, id: string, view: ReturnType<typeof viewOf>): Promise<void> {
  return requireMatch(call, async () => view(await lockAccount(tx, id)));
}

/** Tests an account at its carrier, outside any transaction, and stores the result before responding. */
function test(call: Call, id: string, service: Service): Promise<Response> {
  const view = viewOf(service, call);
  return answerLongWork(call, async () => {
    const account = await call.store.read((db) => getAccount(db, id));
    const connector = connectorOf(service, account.connector);
    const access = accessTo(account, connector, call.store, service);
    const result = await testAt(connector, access, service);
    if ("carriers" in result) return answerWrite(call, 200, async (tx) => view(await recordTest(tx, account, result)));
    await writeFor(call, (tx) => recordTest(tx, account, result));
    throw result;
  });
}

// A test sends several requests in sequence, so its timeout is a multiple of the one for rates.
const test_timeout_factor = 3;

/** Returns the carriers and services that the account lists, or the reason for a failure. */
async function testAt(connector: OutsideCarrier, access: CarrierContext, service: Service): Promise<AccountTestResult> {
  try {
    const wait_ms = test_timeout_factor * carrierCallingOf(service).rates_wait_ms;
    return { carriers: await inTime(connector.check(access), access.account.name, wait_ms) };
  } catch (error) {
    return refusalOf(error, access, service.log);
  }
}

function list(call: Call, query: ListAccounts, service: Service): Promise<Response> {
  return answerList(
    call,
    query,
    { rows: listAccounts, count: countAccounts, position: ({ created_at, id }) => [created_at, id] },
    (accounts) => accounts.map(viewOf(service, call)),
  );
}
