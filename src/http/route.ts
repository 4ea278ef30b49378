// What a route says of itself. Admission, the reference and the audit trail read it.
import type { TSchema } from "@sinclair/typebox";
import type { FaultCode } from "../core/faults.ts";
import { assert } from "../core/faults.ts";
import { isOfMerchants } from "./auth/merchant_permissions.ts";
import { isOfLive, ofSettings, onlyReads, type Permission, type RouteNeed } from "./auth/permissions.ts";
import type { Chapter } from "./chapters.ts";
import { type BodyKind, type BodyKindName, bodyKinds } from "./request_input.ts";

/** What every route says of itself: who may use it, and what it answers. */
interface RouteFacts {
  /** The permission that the route needs. */
  readonly needs: RouteNeed;
  /** The answer by status: its schema, or null for a document that is no JSON. */
  readonly answers?: Readonly<Record<number, TSchema | null>>;
}

/** What a route of the API says of itself, beside its method, its path and its schemas of body and query. */
export interface RouteNotes extends Required<RouteFacts> {
  /** Name of the operation, `createOrder`. */
  readonly id: string;
  /** The chapter of the reference that it stands in. */
  readonly chapter: Chapter;
  /** One line of what it does. */
  readonly summary: string;
  /** What else there is to know, in full sentences. */
  readonly description?: string;
  /** The media types of the documents that it answers with, or that a client may have instead, by its `Accept`. */
  readonly documents?: readonly string[];
  /** The codes of its own refusals, beyond those of every route of its kind: see `refusalsOf` in the reference. */
  readonly refuses?: readonly FaultCode[];
  /** What its body is, where that is not JSON. */
  readonly sends?: BodyKindName;
  /** Whether it honours `If-Match`. */
  readonly matches?: boolean;
  /** Whether its answer carries an `ETag` though it shows no version. */
  readonly tagged?: boolean;
  /** Whether it is about data that both worlds share, unlike other routes with the same needs. */
  readonly live_only?: boolean;
}

/** The notes of a route of the API, in the place where Elysia keeps them. */
export const documented = (notes: RouteNotes) => ({ ...notes }) as Record<string, unknown>;

/** As `documented`, for routes of one chapter that need the same. */
export const documentedAs =
  (common: Pick<RouteNotes, "needs" | "chapter">) => (notes: Omit<RouteNotes, "needs" | "chapter">) =>
    documented({ ...common, ...notes });

/** As `documented`, for a page or a route of the dashboard: the reference does not list it. */
export const unlisted = (facts: RouteFacts) => ({ ...facts }) as Record<string, unknown>;

/** One route as the framework knows it. */
export interface AppRoute {
  readonly method: string;
  readonly path: string;
  readonly hooks: { readonly detail?: unknown; readonly body?: unknown; readonly query?: unknown };
}

/** What a route says of itself; it has no `id` unless the reference lists it. */
type RouteStatement = RouteFacts & Partial<RouteNotes>;

/** What a route says of itself. Throws when it does not say who may use it. */
export function saidBy({ method, path, hooks }: AppRoute): RouteStatement {
  const said = hooks.detail as Partial<RouteStatement> | undefined;
  assert(said?.needs !== undefined, `${method} ${path} does not say what it needs: note it by documented or unlisted`);
  return said as RouteStatement;
}

/** A path below the version: `/orders/:id` for `/v1/orders/:id` and `/api/v1/orders/:id`. */
export const belowVersion = (path: string): string => path.replace(/^(?:\/api)?\/v1(?=\/)/, "");

/** A route of the service as requests are admitted by it. */
export interface Route {
  /** Its method and its pattern below the version, `GET /orders/:id`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** What the audit trail calls it: the name of its operation, or its own. */
  readonly id: string;
  readonly need: RouteNeed;
  /** What its body is. */
  readonly sends: BodyKind;
  /** Whether it may change something. */
  readonly writes: boolean;
  /** Whether it changes the settings of the house. */
  readonly of_settings: boolean;
  /** Whether it is about data that both worlds share: users, the audit trail, and e-mail. */
  readonly live_only: boolean;
  /** Whether it is about records of merchants, so that its query may name one. */
  readonly of_merchants: boolean;
  /**
   * Whether a route without query parameters refuses all of them. Routes without a key do not, since others write the
   * links to them; nor do routes that platforms call.
   */
  readonly refuses_query: boolean;
}

/** Whether a route is about data that both worlds share: users, the audit trail, and e-mail. */
export const isLiveOnly = ({ needs, live_only = false }: Pick<RouteStatement, "needs" | "live_only">): boolean =>
  live_only || isOfLive(needs);

/** The routes of an app, each once. Throws when one does not say who may use it. */
export function routesOf(mounted: readonly AppRoute[]): Route[] {
  const routes = new Map<string, Route>();
  for (const one of mounted) {
    const route = routeOf(one);
    if (!routes.has(route.name)) routes.set(route.name, route);
  }
  return [...routes.values()];
}

function routeOf(mounted: AppRoute): Route {
  const { method, hooks } = mounted;
  const path = belowVersion(mounted.path);
  const name = `${method} ${path}`;
  const said = saidBy(mounted);
  const { needs: need, id = name, sends = "json" } = said;
  const writes = method !== "GET" && need !== "none" && !onlyReads(need);
  const takesAnything = path === mounted.path || hooks.query !== undefined || need === "none";
  return {
    name,
    method,
    path,
    id,
    need,
    writes,
    sends: bodyKinds[sends],
    of_settings: writes && ofSettings.has(need as Permission),
    live_only: isLiveOnly(said),
    of_merchants: isOfMerchants(need, id),
    refuses_query: !takesAnything && sends !== "notification",
  };
}
