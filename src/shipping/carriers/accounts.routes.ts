import { randomBytes } from "node:crypto";
import { Fault, invalid } from "../../core/faults.ts";
import { invalidChoice } from "../../core/field_problems.ts";
import type { Call } from "../../http/call.ts";
import { originOf } from "../../http/origin.ts";
import { tagged } from "../../http/preconditions.ts";
import { writeFor } from "../../http/response.ts";
import { list, read, remove, routes, write } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { outboundOf } from "../../outbound/caller.ts";
import { accountView, type CarrierAccount, type CredentialsInput, isAddress } from "./account.ts";
import { AccountView, ConnectorsView, CreateAccount, NewAccountView, UpdateAccount } from "./accounts.schema.ts";
import { accountList, getAccount, lockAccount } from "./accounts.sql.ts";
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

/** Routes of accounts at carriers and at services that resell many carriers. */
export const accountRoutes = (service: Service) => routes("Shipping", [...recordRows(service), ...changeRows(service)]);

const recordRows = (service: Service) => [
  write("POST", "/shipping/carrier_accounts", "shipping.manage", {
    id: "createCarrierAccount",
    summary: "Create a carrier account",
    description:
      "Connects an account at EasyPost, Karrio or Shippo. The credentials are stored encrypted and never shown" +
      " again. The carrier is not called: test the account next, which also lists the carriers that it sells. A" +
      " generated callback secret is in this response only.",
    refuses: ["blocked_address", "duplicate_connection"],
    body: CreateAccount,
    view: NewAccountView,
    status: 201,
    secret_key: service.secret_key,
    long: true,
    prepare: async ({ call, body }) => {
      const rules = rulesOf(connectorOf(service, body.connector), service);
      await refuseAddresses(call, body.credentials, service);
      return { rules, generated_secret: randomBytes(32).toString("base64url") };
    },
    act: async (tx, { call, body, prepared: { rules, generated_secret } }) => {
      const account = await createAccount(tx, body, rules, generated_secret);
      const shown = viewOf(service, call)(account);
      const is_generated = body.callback_secret === undefined && account.callback_secret !== null;
      return is_generated ? { ...shown, callback_secret: generated_secret } : shown;
    },
  }),
  list("/shipping/carrier_accounts", "shipping.manage", {
    id: "listCarrierAccounts",
    summary: "List carrier accounts",
    description:
      "Lists active and paused accounts with the result of their last test. Deleted accounts are left out, and" +
      " secrets show at most their last four characters.",
    of: accountList,
    view: AccountView,
    views: (accounts, _, { call }) => accounts.map(viewOf(service, call)),
  }),
  read("/shipping/carrier_accounts/:id", "shipping.manage", {
    id: "getCarrierAccount",
    summary: "Get a carrier account",
    description:
      "Shows which credentials are set, the callback URL to enter at the carrier, and the carriers and services that" +
      " the last successful test listed.",
    view: AccountView,
    data: async (db, { call, params }) => viewOf(service, call)(await getAccount(db, params.id)),
  }),
];

const changeRows = (service: Service) => [
  write("PATCH", "/shipping/carrier_accounts/:id", "shipping.manage", {
    id: "updateCarrierAccount",
    summary: "Update, pause or resume a carrier account, or replace its credentials",
    description:
      "Omitted fields and credentials stay. New credentials count as untested, and a replaced callback secret stays" +
      " valid for an hour. A paused account returns no rates and sells no labels, while its parcels are still" +
      " tracked. Equal values change nothing.",
    refuses: ["blocked_address", "duplicate_connection", "immutable_field"],
    body: UpdateAccount,
    view: AccountView,
    long: true,
    prepare: async ({ call, body }) => {
      if (body.credentials !== undefined) await refuseAddresses(call, body.credentials, service);
    },
    matches: async (tx, { call, params }) => viewOf(service, call)(await lockAccount(tx, params.id)),
    act: async (tx, { call, params: { id }, body }) => {
      const { connector } = await lockAccount(tx, id);
      return viewOf(
        service,
        call,
      )(await updateAccount(tx, id, body, rulesOf(connectorOf(service, connector), service)));
    },
  }),
  remove("/shipping/carrier_accounts/:id", "shipping.manage", {
    id: "deleteCarrierAccount",
    summary: "Delete a carrier account and keep its labels",
    description:
      "Deletes the account with its secrets and keeps its labels, which can no longer be voided. Callbacks from the" +
      " carrier are refused. Not possible while one of its labels is being bought or voided: pause it until then.",
    refuses: ["label_in_progress"],
    noun: "carrier_account",
    matches: async (tx, { call, params }) => viewOf(service, call)(await lockAccount(tx, params.id)),
    act: (tx, { params }) => deleteAccount(tx, params.id),
  }),
  write("POST", "/shipping/carrier_accounts/:id/test", "shipping.manage", {
    id: "testCarrierAccount",
    summary: "Test the credentials of a carrier account",
    description:
      "Calls the carrier with the stored credentials; nothing is bought. The result is stored in `last_test`, and" +
      " the carriers and services that the account sells in `carriers`. A failed test is stored, too, keeps" +
      " `carriers`, and is refused with its reason.",
    refuses: ["carrier_error", "carrier_refused", "carrier_timeout", "carrier_unauthorized", "write_conflict"],
    view: AccountView,
    long: true,
    prepare: ({ call, params }) => test(call, params.id, service),
    act: async (tx, { call, prepared: { account, result } }) =>
      viewOf(service, call)(await recordTest(tx, account, result)),
  }),
];

/** Routes of the connectors that accounts are created with. */
export const connectorRoutes = (service: Service) =>
  routes("Shipping", [
    read("/shipping/connectors", "shipping.read", {
      id: "listConnectors",
      summary: "List carrier connectors and the credentials that each needs",
      description:
        "Lists the services that carrier accounts can be created for, with the credentials that each needs, such as" +
        " an API key.",
      view: ConnectorsView,
      data: () => ({ connectors: Object.values(outsideCarriersOf(service)).map(connectorView) }),
    }),
  ]);

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
    // A test does not change the account, so its revision stays.
    return tagged(view, account.revision, [view.last_test, view.carriers, view.callback_url]);
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

/** Tests an account at its carrier, outside any transaction. Stores a failure before refusing. */
async function test(call: Call, id: string, service: Service) {
  const account = await call.store.read((db) => getAccount(db, id));
  const connector = connectorOf(service, account.connector);
  const access = accessTo(account, connector, call.store, service);
  const result = await testAt(connector, access, service);
  if ("carriers" in result) return { account, result };
  await writeFor(call, (tx) => recordTest(tx, account, result));
  throw result;
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
