// Queued orders are imported: claimed in one transaction, fetched in none, taken in in another.
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { Fault } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
import { credentialsOf } from "../connections/connection.ts";
import { apiOf } from "../connectors/api.ts";
import { connectors } from "../connectors/table.ts";
import { Lanes } from "../lanes.ts";
import { takeMissing, takeOrder } from "../orders/commands.ts";
import type { Credentials, PlatformOrder } from "../platform.ts";
import { claimImports, failImport } from "./commands.ts";
import type { Claim } from "./import.ts";
import { reasonOf } from "./rules.ts";

const lanes = new WeakMap<Store, Lanes<Claim>>();

/** A round of `platforms.import`: what is due begins to be imported. */
export async function importDue(store: Store, service: Service): Promise<number | null> {
  let lane = lanes.get(store);
  if (lane === undefined) {
    const importer = new Importer(store, service);
    lane = new Lanes({
      claim: (busy) => store.write((tx) => claimImports(tx, busy)),
      work: (claim) => importer.import(claim),
      // The lease runs out, and then it is tried again.
      failed: (error) => service.log.error("an import was not recorded", { mode: store.mode, error: String(error) }),
      idle: () => store.write(async (tx) => tx.wake("platforms.import", tx.now)),
    });
    lanes.set(store, lane);
  }
  return await lane.round();
}

/** Waits until every import under way is over and recorded. */
export async function importsSettled(store: Store): Promise<void> {
  await lanes.get(store)?.settled();
}

/** Imports orders of platforms into one store. */
class Importer {
  readonly #store: Store;
  readonly #service: Service;

  constructor(store: Store, service: Service) {
    this.#store = store;
    this.#service = service;
  }

  async import(claim: Claim): Promise<void> {
    const credentials = credentialsOf(claim.connection, this.#service.secret_key, this.#store.clock.now());
    try {
      const order = claim.import.payload ?? (await this.#fetch(claim, credentials));
      await this.#store.write((tx) => (order === null ? takeMissing(tx, claim) : takeOrder(tx, claim, order)));
    } catch (error) {
      await this.#fail(claim, credentials, error);
    }
  }

  async #fetch(
    { connection, import: { external_id } }: Claim,
    credentials: Credentials,
  ): Promise<PlatformOrder | null> {
    if (credentials.api_token === null) {
      const facts = { permanent: true };
      throw new Fault("platform_error", "The order has to be fetched, and the connection has no api_token.", facts);
    }
    const { mode, clock } = this.#store;
    const access = { connection, credentials, api: apiOf(this.#service, mode), now: clock.now() };
    return connectors[connection.platform].fetchOrder(access, external_id);
  }

  async #fail(claim: Claim, { api_key, api_token, client_secrets }: Credentials, error: unknown): Promise<void> {
    const { connection, import: one } = claim;
    const reason = reasonOf(error, [api_key, api_token, ...client_secrets]);
    const failed = await this.#store.write((tx) => failImport(tx, claim, reason));
    const facts = {
      mode: this.#store.mode,
      connection: wireId("connection", connection.id),
      import: wireId("import", one.id),
      order: wireId("order", one.order_id),
      attempts: one.attempts,
      code: reason.code,
      reason: reason.message,
      // What is no refusal is a fault of ours.
      error: error instanceof Fault ? null : error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
    if (failed?.status === "failed") this.#service.log.error("an order could not be imported", facts);
    else if (failed !== null) this.#service.log.warn("an import has to be tried again", facts);
  }
}
