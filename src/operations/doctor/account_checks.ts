// Carriers and platforms, asked as the service would ask them, for the doctor.

import { environments } from "../../core/environment.ts";
import type { Service } from "../../http/service.ts";
import { listActiveConnections } from "../../platforms/connections.sql.ts";
import { accessTo as accessToPlatform, secretsOf } from "../../platforms/connectors/call_platform.ts";
import { connectors } from "../../platforms/connectors/connectors.ts";
import { reasonOf } from "../../platforms/imports/import.ts";
import { listActiveAccounts } from "../../shipping/carriers/accounts.sql.ts";
import { accessTo, inTime, refusalOf } from "../../shipping/carriers/call_carrier.ts";
import { outsideCarriersOf } from "../../shipping/carriers/connectors.ts";
import type { Store } from "../../storage/database.ts";
import type { CheckResult } from "./check.ts";
import { ok, problem } from "./check.ts";
import type { DoctorCheck } from "./run_checks.ts";

const timeout_ms = 15_000;
const looked_back_ms = 60_000;

/** What is looked at by asking others in the name of the house. */
export const accountChecks: readonly DoctorCheck[] = [
  { subject: "carriers", look: async ({ service }) => (service === null ? [] : await each(service, lookAtCarriers)) },
  { subject: "platforms", look: async ({ service }) => (service === null ? [] : await each(service, lookAtPlatforms)) },
];

async function each(
  service: Service,
  look: (store: Store, service: Service) => Promise<CheckResult[]>,
): Promise<CheckResult[]> {
  const found: CheckResult[] = [];
  for (const mode of environments) found.push(...(await look(service.stores[mode], service)));
  return found;
}

/** Whether each account that is not paused is taken by its carrier, and what it lists. Nothing is bought. */
async function lookAtCarriers(store: Store, service: Service): Promise<CheckResult[]> {
  const accounts = await store.read(listActiveAccounts);
  return await Promise.all(
    accounts.map(async (account) => {
      const connector = outsideCarriersOf(service)[account.connector];
      const named = `${store.mode}: ${account.name} (${account.connector})`;
      const advice = "Give the account its credentials anew, or look at the carrier's own page of its state.";
      if (connector === undefined) return problem("carrier", `${named} is of an unknown kind`, "Remove the account.");
      try {
        const access = accessTo(account, connector, store, service);
        try {
          const listed = await inTime(connector.check(access), account.name, timeout_ms);
          return ok("carrier", `${named} answers and lists ${listed.length} carriers`);
        } catch (error) {
          return problem("carrier", `${named} refuses: ${refusalOf(error, access, service.log).message}`, advice);
        }
      } catch {
        return problem("carrier", `${named}: its credentials do not open with this secret key`, advice);
      }
    }),
  );
}

/** Whether each connected store whose API is to be called answers to its token. */
async function lookAtPlatforms(store: Store, service: Service): Promise<CheckResult[]> {
  const connected = (await store.read(listActiveConnections)).filter(({ api_token }) => api_token !== null);
  return await Promise.all(
    connected.map(async (connection) => {
      const named = `${store.mode}: ${connection.platform} ${connection.store_id}`;
      const advice = "Give the connection a new api_token, or look at the platform's own page of its state.";
      try {
        const access = accessToPlatform(connection, store, service);
        try {
          await connectors[connection.platform].changedSince(access, access.now - looked_back_ms);
          return ok("platform", `${named} answers to its token`);
        } catch (error) {
          return problem("platform", `${named} refuses: ${reasonOf(error, secretsOf(access)).message}`, advice);
        }
      } catch {
        return problem("platform", `${named}: its token does not open with this secret key`, advice);
      }
    }),
  );
}
