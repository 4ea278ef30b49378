import { open, seal } from "../core/crypto.ts";
import { Fault, invalid } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { transition } from "../core/transitions.ts";
import type { Tx } from "../storage/database.ts";
import { requireOwner } from "../storage/tenant.ts";
import {
  checkChoices,
  checkSecrets,
  defaultApi,
  readStore,
  secret_overlap_ms,
  secret_purpose,
  storeOf,
} from "./connection.ts";
import { nothing_learned, without_token } from "./connection_state.ts";
import { saveState } from "./connection_states.sql.ts";
import { insertConnection, lockConnection, lockConnectionOfStore, saveConnection } from "./connections.sql.ts";
import { reconsiderImports, requeueFailed } from "./imports/imports.sql.ts";
import type { StoreConnection } from "./platform.ts";
import type { CreateConnection, UpdateConnection } from "./platforms.schema.ts";
import { connectionActions, connectionStarts, connectionTransitions } from "./platforms.transitions.ts";
import { requeueFailedReports } from "./shipment_updates/shipment_updates.sql.ts";
import { retryStock, switchOffStock } from "./stock_updates/stock_updates.sql.ts";

const withoutTrailingSlash = (url: string) => url.replace(/\/+$/, "");

/** The editor of a connection, and the key that seals its secrets. */
interface ConnectionEditor {
  /** Whether the operator edits it, not a merchant. */
  readonly is_operator: boolean;
  readonly secret_key: Uint8Array;
}

/**
 * Connects a store. Its secrets are sealed. A store that was connected before gets its old connection back, so that no
 * order is imported twice. Refuses: validation_failed, duplicate_connection, merchant_required.
 */
export async function createConnection(
  tx: Tx,
  input: CreateConnection,
  { is_operator, secret_key }: ConnectionEditor,
): Promise<StoreConnection> {
  const { platform, api_key = null, api_token = null, client_secret = null, client_id = null } = input;
  const store_id = storeOf(platform, input.store_id);
  checkSecrets(platform, { api_key, api_token, client_secret, client_id });
  checkChoices(platform, input);
  const sealed = (secret: string | null) => (secret === null ? null : seal(secret, secret_key, secret_purpose));
  const fields: Omit<StoreConnection, "id"> = {
    merchant_id: requireOwner(tx),
    key: tx.newId(tx.mode),
    platform,
    name: input.name ?? store_id.replace(/^https?:\/\//, "").slice(0, 100),
    store_id,
    api_url: withoutTrailingSlash(input.api_url ?? defaultApi(platform, store_id)),
    is_operator_address: is_operator,
    api_key: sealed(api_key),
    api_token: sealed(api_token),
    client_secret: sealed(client_secret),
    client_id,
    previous_client_secret: null,
    previous_client_secret_expires_at: null,
    order_prefix: input.order_prefix ?? "",
    pending_orders: input.pending_orders ?? "wait",
    test_orders: input.test_orders ?? "ignore",
    pickup_orders: input.pickup_orders ?? "ignore",
    status: input.status ?? connectionStarts,
    revision: 1,
    created_at: tx.now,
    updated_at: tx.now,
  };
  const id = await insertConnection(tx, fields);
  return id === null ? reconnect(tx, fields) : { id, ...fields };
}

async function reconnect(tx: Tx, fields: Omit<StoreConnection, "id">): Promise<StoreConnection> {
  const before = await lockConnectionOfStore(tx, fields);
  if (before === null || before.deleted_at === null) {
    throw new Fault("duplicate_connection", "This store is already connected.", {
      existing_id: before === null ? null : wireId("connection", before.id),
    });
  }
  const { id, revision, created_at } = before;
  const connection = { ...fields, id, revision: revision + 1, created_at };
  await saveConnection(tx, connection);
  await saveState(tx, id, nothing_learned);
  await switchOffStock(tx, id);
  wakeJobs(tx);
  return connection;
}

/**
 * Changes a connection. Without a change it keeps its revision. The previous client secret stays valid for an hour. A
 * new address or secret retries failed imports and reports.
 * Refuses: resource_missing, validation_failed, immutable_field.
 */
export async function updateConnection(
  tx: Tx,
  id: string,
  input: UpdateConnection,
  { is_operator, secret_key }: ConnectionEditor,
): Promise<StoreConnection> {
  const before = await lockConnection(tx, id);
  refuseImmutable(before, input);
  const { name = before.name, order_prefix = before.order_prefix, status, client_id = before.client_id } = input;
  const { pending_orders = before.pending_orders, test_orders = before.test_orders } = input;
  const { pickup_orders = before.pickup_orders } = input;
  const api_url = input.api_url === undefined ? before.api_url : withoutTrailingSlash(input.api_url);
  if (api_url !== before.api_url && before.api_token !== null && input.api_token === undefined) {
    // Otherwise a person who can edit the address could redirect the stored token to their own server.
    throw invalid("api_token", "is required when api_url changes", "required");
  }
  const is_moved = api_url !== before.api_url;
  if (client_id !== null && (is_moved || client_id !== before.client_id) && input.client_secret === undefined) {
    throw invalid("client_secret", `is required when ${is_moved ? "api_url" : "client_id"} changes`, "required");
  }
  const secrets = changedSecrets(before, input, secret_key);
  checkSecrets(before.platform, { ...before, ...secrets, client_id });
  checkChoices(before.platform, input);
  const is_new_app = is_moved || input.client_secret !== undefined || client_id !== before.client_id;
  if (is_new_app) await saveState(tx, before.id, without_token);
  const next =
    status === undefined ? before.status : transition(connectionTransitions, connectionActions[status], before.status);
  const replaced = secrets.client_secret === undefined ? {} : overlap(tx, secrets.client_secret, before);
  const is_operator_address = chosenByOperator(before, input, is_operator);
  const settings = {
    name,
    order_prefix,
    api_url,
    is_operator_address,
    status: next,
    client_id,
    pending_orders,
    test_orders,
    pickup_orders,
  };
  const after = { ...before, ...settings, ...secrets, ...replaced };
  const same = (Object.keys(after) as (keyof StoreConnection)[]).every((field) => after[field] === before[field]);
  if (same) return before;
  const connection = { ...after, revision: before.revision + 1, updated_at: tx.now };
  await saveConnection(tx, connection);
  const is_other_chooser = is_operator_address !== before.is_operator_address;
  if (is_new_app || is_other_chooser || Object.keys(secrets).length > 0) await requeueFailures(tx, before.id);
  const choices = ["pending_orders", "test_orders", "pickup_orders"] as const;
  if (choices.some((choice) => connection[choice] !== before[choice])) await reconsiderImports(tx, before.id);
  wakeJobs(tx);
  return connection;
}

/** Whether the operator chose the API address: the last editor who set it counts. */
function chosenByOperator(before: StoreConnection, { api_url }: UpdateConnection, is_operator: boolean): boolean {
  return api_url === undefined ? before.is_operator_address : is_operator;
}

/** Wakes the jobs that handle a connection's queues. */
function wakeJobs(tx: Tx): void {
  tx.wake("platforms.import", tx.now);
  tx.wake("platforms.report", tx.now);
  tx.wake("platforms.stock", tx.now);
}

/** Queues the failed imports and reports of a connection again, and pushes its stock at once. */
export async function requeueFailures(tx: Tx, connection_id: number): Promise<void> {
  wakeJobs(tx);
  await requeueFailed(tx, connection_id);
  await requeueFailedReports(tx, connection_id);
  await retryStock(tx, connection_id);
}

function refuseImmutable(before: StoreConnection, { platform, store_id }: UpdateConnection): void {
  const others = [
    ...(platform === undefined || platform === before.platform ? [] : ["platform"]),
    ...(store_id === undefined || readStore(before.platform, store_id) === before.store_id ? [] : ["store_id"]),
  ];
  if (others.length === 0) return;
  const fields = others.map((field) => ({ field, code: "immutable_field", message: "cannot change" }));
  throw new Fault("immutable_field", "To connect another store, create a new connection.", { fields });
}

const secret_names = ["api_key", "api_token", "client_secret"] as const;

/** The sealed secrets that change. */
function changedSecrets(before: StoreConnection, input: UpdateConnection, secret_key: Uint8Array) {
  const changed: Partial<Record<(typeof secret_names)[number], string | null>> = {};
  for (const name of secret_names) {
    const [sent, sealed] = [input[name], before[name]];
    if (sent === undefined) continue;
    if (sent === null) {
      if (sealed !== null) changed[name] = null;
    } else if (sealed === null || open(sealed, secret_key, secret_purpose) !== sent) {
      changed[name] = seal(sent, secret_key, secret_purpose);
    }
  }
  return changed;
}

/** The previous client secret and when it expires. */
function overlap(tx: Tx, next: string | null, { client_secret }: StoreConnection) {
  const overlaps = next !== null && client_secret !== null;
  return {
    previous_client_secret: overlaps ? client_secret : null,
    previous_client_secret_expires_at: overlaps ? tx.now + secret_overlap_ms : null,
  };
}

/** Deletes a connection and its secrets, and ends its queued imports. Its orders stay. Refuses: resource_missing. */
export async function deleteConnection(tx: Tx, id: string): Promise<StoreConnection> {
  const before = await lockConnection(tx, id);
  const none = { api_key: null, api_token: null, client_secret: null, client_id: null };
  const previous = { previous_client_secret: null, previous_client_secret_expires_at: null };
  const after = { ...before, ...none, ...previous, revision: before.revision + 1, updated_at: tx.now };
  await saveConnection(tx, after, tx.now);
  await saveState(tx, before.id, without_token);
  return after;
}
