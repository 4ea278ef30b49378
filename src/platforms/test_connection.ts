import { iso } from "../core/clock.ts";
import { Fault } from "../core/faults.ts";
import { hasApiAccess } from "./connection.ts";
import { type ConnectionHealth, hidden_addresses_text } from "./connection_state.ts";
import { platformError, secretsOf } from "./connectors/call_platform.ts";
import type { PlatformAccess, PlatformChecks, PlatformConnector, PlatformWebhook } from "./connectors/connector.ts";
import { reasonOf } from "./imports/import.ts";
import type { StoreConnection } from "./platform.ts";
import type { ConnectionCheck, TestConnection } from "./platforms.schema.ts";
import type { Platform } from "./platforms.transitions.ts";

const names: Readonly<Record<Platform, string>> = {
  bigcommerce: "BigCommerce",
  shopify: "Shopify",
  woocommerce: "WooCommerce",
};

/** What is tested: the connection, its address for notifications, and how it has worked so far. */
interface TestedConnection {
  readonly connection: StoreConnection;
  readonly callback_url: string;
  readonly health: ConnectionHealth | undefined;
}

/**
 * Tests a connection by calling the platform. Returns what works, and what to do about the rest. Nothing is changed
 * there, except that missing webhooks are created if that is asked for.
 */
export async function testConnection(
  tested: TestedConnection,
  access: PlatformAccess,
  connector: PlatformConnector,
  { create_webhooks = false }: TestConnection,
): Promise<ConnectionCheck[]> {
  const { connection } = tested;
  const platform = names[connection.platform];
  if (!hasApiAccess(connection)) {
    const message =
      `The connection has no access to ${platform}'s API, so lost notifications stay unnoticed and parcels are not ` +
      `reported. Add ${connection.platform === "shopify" ? "a client_id" : "an api_token"}.`;
    return [{ check: "credentials", result: "warning", message }, ...arrivals(tested), ...addresses(tested)];
  }
  const permissions = await unlessFault(connector.checks.permissions(access), access);
  if (typeof permissions === "string") {
    return [{ check: "credentials", result: "failed", message: permissions }, ...addresses(tested)];
  }
  const [webhooks, locations] = await Promise.all([
    unlessFault(webhooksOf(tested, access, connector.checks, create_webhooks), access),
    unlessFault(connector.stock.locations(access), access),
  ]);
  return [
    { check: "credentials", result: "ok", message: `${platform} accepts the credentials.` },
    ...permissions.map(({ name, use, is_granted, is_needed }): ConnectionCheck => {
      if (is_granted) return { check: "scope", result: "ok", message: `${name} is granted.` };
      const message = `${name} is missing. It is needed to ${use}. Grant it at ${platform}.`;
      return { check: "scope", result: is_needed ? "failed" : "warning", message };
    }),
    typeof webhooks === "string"
      ? { check: "notifications", result: "failed", message: `The webhooks cannot be listed or created: ${webhooks}` }
      : notifications(tested, webhooks, connector.checks),
    places(platform, locations),
    ...addresses(tested),
  ];
}

/** Returns what the work returns; the message of a refusal instead of throwing it. */
async function unlessFault<Value>(work: Promise<Value>, access: PlatformAccess): Promise<Value | string> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Fault) return reasonOf(error, secretsOf(access)).message;
    throw error;
  }
}

/** Lists the webhooks of the store. If asked to, creates those that are missing first. Refuses: platform_error. */
async function webhooksOf(
  { callback_url }: TestedConnection,
  access: PlatformAccess,
  { webhooks, createWebhook, order_topics }: PlatformChecks,
  create_webhooks: boolean,
): Promise<readonly PlatformWebhook[]> {
  const found = await webhooks(access);
  if (!create_webhooks || createWebhook === null) return found;
  if (!URL.canParse(callback_url)) throw platformError("Set PACKHOUSE_BASE_URL first.", { permanent: true });
  const active = ownAmong(found, callback_url).filter(({ is_active }) => is_active);
  for (const topic of missingTopics(active, order_topics)) {
    await createWebhook(access, topic, callback_url);
  }
  return webhooks(access);
}

/** The webhooks that call this connection, on any host name of this service. */
function ownAmong(webhooks: readonly PlatformWebhook[], callback_url: string): PlatformWebhook[] {
  const path = callback_url.replace(/^https?:\/\/[^/]+/, "");
  return webhooks.filter(({ url }) => url.endsWith(path));
}

const missingTopics = (active: readonly PlatformWebhook[], topics: readonly string[]) =>
  topics.filter((topic) => active.every((webhook) => !covers(webhook.topic, topic)));

/** Whether the webhooks of the store call this service for every change of an order. */
function notifications(
  tested: TestedConnection,
  webhooks: readonly PlatformWebhook[],
  { order_topics: topics, are_webhooks_complete }: PlatformChecks,
): ConnectionCheck {
  const check = "notifications";
  const own = ownAmong(webhooks, tested.callback_url);
  const active = own.filter(({ is_active }) => is_active);
  const inactive = own.find(({ is_active, topic }) => !is_active && active.every((one) => !covers(one.topic, topic)));
  if (own.length === 0) {
    const [arrival] = arrivals(tested);
    if (arrival !== undefined) return arrival;
    const create = `Create webhooks with the address ${tested.callback_url} for ${topics.join(" and ")}.`;
    if (are_webhooks_complete) return { check, result: "failed", message: `No webhook calls this service. ${create}` };
    const message = `No webhook of the app calls this service. ${create} If it has one that Shopify does not list, \
place a test order: the test then shows that notifications arrive.`;
    return { check, result: "warning", message };
  }
  if (inactive !== undefined) {
    const message = `The webhook for ${inactive.topic} is disabled, usually after failed deliveries. Enable it again.`;
    return { check, result: "failed", message };
  }
  const missing = missingTopics(active, topics);
  if (missing.length > 0) {
    const message = `There is no webhook for ${missing.join(" and ")}: such changes are found in the next night only.`;
    return { check, result: "warning", message };
  }
  const count = active.length === 1 ? "One webhook calls" : `${active.length} webhooks call`;
  return { check, result: "ok", message: `${count} this connection.` };
}

/** Whether a webhook for `topic` also sends what one for `wanted` does: `store/order/*` sends all. */
const covers = (topic: string, wanted: string): boolean =>
  topic === wanted || (topic.endsWith("/*") && wanted.startsWith(topic.slice(0, -1)));

/** Shows that notifications arrive, if one has. */
function arrivals({ health }: TestedConnection): ConnectionCheck[] {
  const at = health?.last_notification_at ?? null;
  if (at === null) return [];
  return [{ check: "notifications", result: "ok", message: `Notifications arrive; the last one on ${iso(at)}.` }];
}

function places(
  platform: string,
  locations: readonly { readonly name: string; readonly is_active: boolean }[] | string,
): ConnectionCheck {
  const check = "locations";
  if (typeof locations === "string") {
    const message = `The locations cannot be listed, which only stock in the shop needs: ${locations}`;
    return { check, result: "warning", message };
  }
  const active = locations.filter(({ is_active }) => is_active).map(({ name }) => name);
  if (locations.length === 0) return { check, result: "ok", message: `${platform} counts stock in one place.` };
  if (active.length > 0) return { check, result: "ok", message: `Active locations: ${active.join(", ")}.` };
  const message = `No location is active. Activate one at ${platform} to keep stock there.`;
  return { check, result: "warning", message };
}

function addresses({ connection, health }: TestedConnection): ConnectionCheck[] {
  if (connection.platform !== "shopify") return [];
  const is_hidden = (health?.state?.addresses_hidden_at ?? null) !== null;
  if (is_hidden) return [{ check: "addresses", result: "warning", message: hidden_addresses_text }];
  return [{ check: "addresses", result: "ok", message: "No order has come without the buyer's name and street." }];
}
