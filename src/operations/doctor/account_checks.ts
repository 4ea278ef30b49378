// Checks the accounts with carriers and platforms by calling them as the service does.

import { environments } from "../../core/environment.ts";
import type { Service } from "../../http/service.ts";
import { hasApiAccess } from "../../platforms/connection.ts";
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

/** The checks that use the operator's accounts with other services. */
export const accountChecks: readonly DoctorCheck[] = [
  { subject: "carriers", check: ({ service }) => inEach(service, checkCarriers) },
  { subject: "platforms", check: ({ service }) => inEach(service, checkPlatforms) },
];

async function inEach(
  service: Service | null,
  check: (store: Store, service: Service) => Promise<CheckResult[]>,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  if (service !== null) for (const mode of environments) results.push(...(await check(service.stores[mode], service)));
  return results;
}

/** Checks that each carrier accepts the credentials of its active accounts. Buys nothing. */
async function checkCarriers(store: Store, service: Service): Promise<CheckResult[]> {
  const accounts = await store.read(listActiveAccounts);
  return await Promise.all(
    accounts.map(async (account) => {
      const connector = outsideCarriersOf(service)[account.connector];
      const named = `${store.mode}: ${account.name} (${account.connector})`;
      const advice = "Enter the account's credentials again, or check the carrier's status page.";
      if (connector === undefined)
        return problem("carrier", `${named} has an unknown connector`, "Remove the account.");
      try {
        const access = accessTo(account, connector, store, service);
        try {
          const listed = await inTime(connector.check(access), account.name, timeout_ms);
          return ok("carrier", `${named} works and offers ${listed.length} carriers`);
        } catch (error) {
          return problem("carrier", `${named} failed: ${refusalOf(error, access, service.log).message}`, advice);
        }
      } catch {
        return problem("carrier", `${named}: its credentials cannot be decrypted with this secret key`, advice);
      }
    }),
  );
}

/** Checks that each connected store accepts its API token, if it has one. */
async function checkPlatforms(store: Store, service: Service): Promise<CheckResult[]> {
  const connected = (await store.read(listActiveConnections)).filter(hasApiAccess);
  return await Promise.all(
    connected.map(async (connection) => {
      const named = `${store.mode}: ${connection.platform} ${connection.store_id}`;
      const advice = "Give the connection new credentials, or check the platform's status page.";
      try {
        const access = accessToPlatform(connection, store, service);
        try {
          await connectors[connection.platform].changedSince(access, access.now - looked_back_ms);
          return ok("platform", `${named} accepts its token`);
        } catch (error) {
          return problem("platform", `${named} failed: ${reasonOf(error, secretsOf(access)).message}`, advice);
        }
      } catch {
        return problem("platform", `${named}: its token cannot be decrypted with this secret key`, advice);
      }
    }),
  );
}
