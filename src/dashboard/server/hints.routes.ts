import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Environment } from "../../core/environment.ts";
import { environments } from "../../core/environment.ts";
import { Fault, invalid } from "../../core/faults.ts";
import { openFilesLimit } from "../../core/process.ts";
import { choice, closed, queryOf } from "../../core/schema.ts";
import { mayMerchant } from "../../http/auth/merchant_permissions.ts";
import type { Permission } from "../../http/auth/permissions.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/request_pipeline.ts";
import { unlisted } from "../../http/route.ts";
import type { RouteTable } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { membershipAt } from "../../identity/users/user.ts";
import { getSelf } from "../../identity/users/users.sql.ts";
import type { Store } from "../../storage/database.ts";
import { changesOf, isFor, type UnnumberedHint } from "./hint.ts";
import { Feed, type Listener } from "./hint_feed.ts";
import { Stream } from "./hint_stream.ts";

type HintFilter = Pick<UnnumberedHint, "reads" | "audience">;

const of_one_max = 400;
// Leaves file descriptors for everything else.
const of_all_max = Math.min(2000, Math.floor((openFilesLimit() ?? 4000) / 2));

// `mode` names the environment to listen to, because a browser cannot send a header with a stream.
const Listen = closed({ mode: Type.Optional(choice(environments)) });

const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  // A buffering proxy would hold the hints back.
  "x-accel-buffering": "no",
  // The connection serves only this stream, so it ends with it.
  connection: "close",
};

/** Serves the stream of hints to the dashboard. */
export function liveRoutes(service: Service, routes: RouteTable) {
  // A feed is created for the first listener.
  const feeds: Partial<Record<Environment, Feed>> = {};
  const feedOf = (store: Store) => {
    // One feed serves all listeners, whatever each of them may see.
    feeds[store.mode] ??= new Feed(store.base, service, changesOf(routes.all));
    return feeds[store.mode] as Feed;
  };
  const counts = new Map<string, number>();
  let all = 0;
  const count = (name: string, by: number) => {
    all += by;
    const now = (counts.get(name) ?? 0) + by;
    if (now === 0) counts.delete(name);
    else counts.set(name, now);
  };
  const listen = async (call: Call, mode: Environment | undefined): Promise<Response> => {
    const { request, actor } = call;
    const store = storeFor(call, mode, service);
    const all_headers = { "x-request-id": call.request_id, ...call.headers, ...headers };
    if (request.method === "HEAD") return new Response(null, { headers: all_headers });
    refuseMore(counts.get(actor.id) ?? 0, all, service);
    count(actor.id, 1);
    const feed = feedOf(store);
    await feed.follow().catch((error) => {
      count(actor.id, -1);
      throw error;
    });
    const stream = new Stream(() => {
      count(actor.id, -1);
      feed.remove(listener);
    });
    const listener: Listener = {
      stream,
      may: (hint) => mayHear(call, routes, hint),
      check: () => mayGoOn(call, service),
      disconnect: () => service.waitFor(request, 1),
    };
    feed.add(listener, request.headers.get("last-event-id"));
    // The stream does not notice a client that disconnected during setup.
    request.signal.addEventListener("abort", () => stream.end());
    if (request.signal.aborted || service.ending.aborted) stream.end();
    service.waitFor(request, 0);
    return new Response(stream.body, { headers: all_headers });
  };
  return new Elysia().use(conventions).get("/dashboard/api/events", ({ call, query }) => listen(call, query.mode), {
    query: queryOf(Listen),
    detail: unlisted({ needs: "any" }),
  });
}

/** Whether the listener may call the hint's route and belongs to its audience. */
function mayHear({ granted, merchant_id }: Call, routes: RouteTable, { reads, audience }: HintFilter): boolean {
  const route = routes.all.get(reads);
  if (route === undefined || !granted.permissions.has(route.need as Permission)) return false;
  if (merchant_id === null) return true;
  return isFor(audience, merchant_id) && mayMerchant(route, { may_buy_labels: false });
}

/** The store to listen to: that of the API key, or the environment that the user names. */
function storeFor({ store, actor }: Call, mode: Environment | undefined, { stores }: Service): Store {
  if (mode === undefined || mode === store.mode) return store;
  if (actor.type === "user") return stores[mode];
  throw invalid("mode", `is ${store.mode} for this key`);
}

/** Throws if the session or key has ended or its permissions have changed. The client then reconnects. */
async function mayGoOn(call: Call, { stores }: Service): Promise<void> {
  const { store, renew, confirm, actor, granted, merchant_id } = call;
  await renew?.();
  await store.read(confirm);
  if (actor.type !== "user") return;
  const { memberships } = await stores.live.read((db) => getSelf(db, actor.id));
  // A user who views as a merchant has no membership there and uses the operator's permissions.
  const own = membershipAt(memberships, merchant_id) ?? membershipAt(memberships, null);
  const permissions = own?.permissions ?? [];
  if (permissions.length !== granted.permissions.size || !permissions.every((one) => granted.permissions.has(one))) {
    throw new Fault("insufficient_permission", "What you may do was changed.");
  }
}

function refuseMore(own: number, all: number, { ending }: Service): void {
  if (ending.aborted) throw new Fault("unavailable", "The service is stopping.");
  if (own >= of_one_max) {
    const message = `You already have ${of_one_max} open streams. Close some windows; this one retries automatically.`;
    throw new Fault("rate_limited", message, { retry_after_seconds: 60 });
  }
  if (all >= of_all_max) {
    const message = "This server has no free stream. Screens work without live updates and retry automatically.";
    throw new Fault("unavailable", message, { retry_after_seconds: 60 });
  }
}
