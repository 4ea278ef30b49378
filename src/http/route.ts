// What a route declares about itself. Admission, the reference and the audit trail read it.
import type { TSchema } from "@sinclair/typebox";
import type { FaultCode } from "../core/faults.ts";
import { assert } from "../core/faults.ts";
import { isOfMerchants } from "./auth/merchant_permissions.ts";
import { isOfLive, ofSettings, onlyReads, type Permission, type RouteNeed } from "./auth/permissions.ts";
import type { Chapter } from "./chapters.ts";
import type { Expansion } from "./expansion.ts";
import { type BodyKind, type BodyKindName, bodyKinds } from "./request_input.ts";

/** What every route declares: who may use it, and its responses. */
interface RouteFacts {
  readonly needs: RouteNeed;
  /** The responses by status: a schema, or null for a document that is not JSON. */
  readonly answers?: Readonly<Record<number, TSchema | null>>;
}

/** What a route of the API declares, in addition to its method, its path and its schemas of body and query. */
export interface RouteNotes extends Required<RouteFacts> {
  /** The operation id, such as `createOrder`. */
  readonly id: string;
  /** The chapter of the reference that lists it. */
  readonly chapter: Chapter;
  /** What it does, in one line. */
  readonly summary: string;
  /** More details, in full sentences. */
  readonly description?: string;
  /** The media types of documents that it returns, always or depending on `Accept`. */
  readonly documents?: readonly string[];
  /**
   * The codes of its own refusals, in addition to those common to its kind of route: see `refusalsOf` in the reference.
   */
  readonly refuses?: readonly FaultCode[];
  /** The kind of its body, if that is not JSON. */
  readonly sends?: BodyKindName;
  /** Whether it supports `If-Match`. */
  readonly matches?: boolean;
  /** Whether its response has an `ETag` although it shows no revision. */
  readonly tagged?: boolean;
  /** Whether it is another name of a listed route, which the reference leaves out. */
  readonly alias?: boolean;
  /** How other responses include the records of this list. */
  readonly expansion?: Expansion;
  /** Whether its data is shared by live and test, unlike that of other routes with the same permission. */
  readonly live_only?: boolean;
}

/** The declaration of an API route, in the form that Elysia stores. */
export const documented = (notes: RouteNotes) => ({ ...notes }) as Record<string, unknown>;

/** As `documented`, for a page or a route of the dashboard. The reference does not list it. */
export const unlisted = (facts: RouteFacts) => ({ ...facts }) as Record<string, unknown>;

/** A route as the framework knows it. */
export interface AppRoute {
  readonly method: string;
  readonly path: string;
  readonly hooks: { readonly detail?: unknown; readonly body?: unknown; readonly query?: unknown };
}

/** What a route declares; it has no `id` unless the reference lists it. */
type RouteDeclaration = RouteFacts & Partial<RouteNotes>;

/** What a route declares. Throws when it does not declare who may use it. */
export function declarationOf({ method, path, hooks }: AppRoute): RouteDeclaration {
  const declared = hooks.detail as Partial<RouteDeclaration> | undefined;
  assert(
    declared?.needs !== undefined,
    `${method} ${path} does not declare what it needs: use the rows of http/routes.ts, or unlisted`,
  );
  return declared as RouteDeclaration;
}

/** The path after the version: `/orders/:id` for `/v1/orders/:id` and `/api/v1/orders/:id`. */
export const belowVersion = (path: string): string => path.replace(/^(?:\/api)?\/v1(?=\/)/, "");

/** A route of the service, as admission uses it. */
export interface Route {
  /** Its method and its pattern after the version, `GET /orders/:id`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Its name in the audit trail: its operation id, or its `name`. */
  readonly id: string;
  readonly need: RouteNeed;
  /** The kind of its body. */
  readonly sends: BodyKind;
  readonly writes: boolean;
  /** Whether it changes the operator's settings. */
  readonly of_settings: boolean;
  /** Whether it is another name of a listed route, which the reference leaves out. */
  readonly alias?: boolean;
  /** Whether its data is shared by live and test: users, the audit trail, and email. */
  readonly live_only: boolean;
  /** How other responses include the records of this list; null if they cannot. */
  readonly expansion: Expansion | null;
  /** Whether it is about records of merchants, so that its query may name one. */
  readonly of_merchants: boolean;
  /**
   * Whether a route without query parameters refuses all of them. Public routes do not, since links to them may have
   * parameters added, and neither do routes that platforms call.
   */
  readonly refuses_query: boolean;
}

/** Whether a route's data is shared by live and test: users, the audit trail, and email. */
export const isLiveOnly = ({ needs, live_only = false }: Pick<RouteDeclaration, "needs" | "live_only">): boolean =>
  live_only || isOfLive(needs);

/** The routes of an app, without duplicates. Throws when one does not declare who may use it. */
export function routesOf(mounted: readonly AppRoute[]): Route[] {
  const routes = new Map<string, Route>();
  for (const mounted_route of mounted) {
    const route = routeOf(mounted_route);
    if (!routes.has(route.name)) routes.set(route.name, route);
  }
  return [...routes.values()];
}

function routeOf(mounted: AppRoute): Route {
  const { method, hooks } = mounted;
  const path = belowVersion(mounted.path);
  const name = `${method} ${path}`;
  const declared = declarationOf(mounted);
  const { needs: need, id = name, sends = "json", expansion = null } = declared;
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
    live_only: isLiveOnly(declared),
    expansion,
    of_merchants: isOfMerchants(need, id),
    refuses_query: !takesAnything && sends !== "notification",
  };
}
