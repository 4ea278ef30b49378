import { lead } from "../../database/lease.ts";
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { randomId, wireId } from "../../kit/ids.ts";
import { listActiveConnections } from "../connections/store.ts";
import { accessTo } from "../connectors/access.ts";
import { secretsOf } from "../connectors/asking.ts";
import { connectors } from "../connectors/table.ts";
import { queueChanged } from "../imports/commands.ts";
import { reasonOf } from "../imports/rules.ts";
import type { StoreConnection } from "../platform.ts";

// Two nights: what one night missed, the next one finds.
const looked_back_ms = 48 * 3_600_000;
const lease_ms = 3_600_000;
const queued_together_max = 100;

const server = randomId("srv");

/**
 * Asks the platform of every active connection which orders changed in the last 48 hours, and imports those that are
 * missing or outdated here, since a notification may have been lost. Of several servers one does it.
 */
export async function reconcile(store: Store, service: Service): Promise<void> {
  if (!(await store.write((tx) => lead(tx, "platforms.reconcile", server, lease_ms)))) return;
  for (const connection of await store.read(listActiveConnections)) {
    // Without a token the platform cannot be asked; its notifications contain whole orders.
    if (connection.api_token !== null) await reconcileOne(connection, store, service);
  }
}

async function reconcileOne(connection: StoreConnection, store: Store, service: Service): Promise<void> {
  const access = accessTo(connection, store, service);
  const facts = { mode: store.mode, connection: wireId("connection", connection.id) };
  try {
    const changes = await connectors[connection.platform].changedSince(access, access.now - looked_back_ms);
    let queued = 0;
    for (let at = 0; at < changes.length; at += queued_together_max) {
      const some = changes.slice(at, at + queued_together_max);
      queued += await store.write((tx) => queueChanged(tx, connection, some));
    }
    if (queued > 0)
      service.log.info("orders of a platform were missing or outdated here", { ...facts, orders: queued });
  } catch (error) {
    const { code, message } = reasonOf(error, secretsOf(access));
    service.log.warn("a platform could not be asked for changed orders", { ...facts, code, reason: message });
  }
}
