// Carriers and platforms, asked as the service would ask them, for the doctor.

import type { Store } from "./database/store.ts";
import type { Look } from "./doctor/examination.ts";
import type { Finding } from "./doctor/finding.ts";
import { ok, problem } from "./doctor/finding.ts";
import type { Service } from "./http/service.ts";
import { modes } from "./kit/mode.ts";
import { listActiveConnections } from "./platforms/connections/store.ts";
import { accessTo as accessToPlatform } from "./platforms/connectors/access.ts";
import { secretsOf } from "./platforms/connectors/asking.ts";
import { connectors } from "./platforms/connectors/table.ts";
import { reasonOf } from "./platforms/imports/rules.ts";
import { listActiveAccounts } from "./shipping/accounts/store.ts";
import { accessTo, inTime, refusalOf } from "./shipping/carriers/access.ts";
import { outsideCarriersOf } from "./shipping/carriers/table.ts";

const patience_ms = 15_000;
const looked_back_ms = 60_000;

/** What is looked at by asking others in the name of the house. */
export const outsideLooks: readonly Look[] = [
  { subject: "carriers", look: async ({ service }) => (service === null ? [] : await each(service, lookAtCarriers)) },
  { subject: "platforms", look: async ({ service }) => (service === null ? [] : await each(service, lookAtPlatforms)) },
];

async function each(
  service: Service,
  look: (store: Store, service: Service) => Promise<Finding[]>,
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const mode of modes) found.push(...(await look(service.stores[mode], service)));
  return found;
}

/** Whether each account that is not paused is taken by its carrier, and what it lists. Nothing is bought. */
async function lookAtCarriers(store: Store, service: Service): Promise<Finding[]> {
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
          const listed = await inTime(connector.check(access), account.name, patience_ms);
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
async function lookAtPlatforms(store: Store, service: Service): Promise<Finding[]> {
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
