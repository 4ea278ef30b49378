import type { Static } from "@sinclair/typebox";
import { iso, momentOf } from "../../core/clock.ts";
import { missing } from "../../core/faults.ts";
import type { Db } from "../../storage/database.ts";
import { list, read, routes } from "../routes.ts";
import type { Service } from "../service.ts";
import { narrowedByRequestId, type RequestFilter } from "./logged_request.ts";
import { requestLogOf } from "./request_log.jobs.ts";
import { ListRequests, RequestView } from "./request_log.schema.ts";
import { findRequest, findRequests, type PlacedRequest } from "./request_log.sql.ts";

/** The routes of the request log. */
export const requestRoutes = (service: Service) => {
  const log = requestLogOf(service);
  // A caller can find its own latest requests.
  const prepare = () => log.flush();
  return routes("Service", [
    list("/requests", "requests.read", {
      id: "listRequests",
      summary: "List recent requests, newest first",
      description:
        "Every API request in the environment of the caller, including refused ones; unauthenticated ones count as" +
        " live. Bodies, and values of parameters that may be secret, are never logged. Kept for seven days by" +
        " default, up to 256 MiB. A page may be short although `has_more` is true, when few requests match.",
      of: {
        query: ListRequests,
        listing: ({ query }) => {
          const filter = filterOf(query);
          return {
            rows: (db, { limit, after }) =>
              findRequests(db, filter, { limit, after: after && [Number(after[0]), after[1]] }),
            count: async () => 0,
            position: ({ block, line }) => [block, line],
          };
        },
      },
      view: RequestView,
      prepare,
      views: (requests) => requests.map(requestView),
    }),
    read("/requests/:id", "requests.read", {
      id: "getRequest",
      summary: "Get a recent request",
      description:
        "Finds it by its `id`, or the latest one with this `request_id`, such as the `meta.request_id` of a response" +
        " that you want to explain.",
      view: RequestView,
      prepare,
      data: (db, { params }) => getRequest(db, params.id),
    }),
  ]);
};

const nothing: RequestFilter = {
  actor_ids: null,
  statuses: null,
  methods: null,
  route: null,
  from: null,
  to: null,
  request_id: null,
};

function filterOf(query: ListRequests): RequestFilter {
  const { actor: actor_ids = null, status: statuses = null, method: methods = null, route = null, q = null } = query;
  const without_dashboard = query.dashboard_reads === false;
  const moments = { from: momentOf(query.created_after) ?? null, to: momentOf(query.created_before) ?? null };
  return narrowedByRequestId({ actor_ids, statuses, methods, route, ...moments, request_id: q, without_dashboard });
}

async function getRequest(db: Db, id: string) {
  const [, block, line] = /^log_(\d{1,15})_(\d{1,6})$/.exec(id) ?? [];
  const by_id = { ...nothing, request_id: id };
  const found =
    block === undefined
      ? (await findRequests(db, narrowedByRequestId(by_id), { limit: 1, after: null })).rows[0]
      : await findRequest(db, Number(block), Number(line));
  if (!found) throw missing("request", id);
  return requestView(found);
}

function requestView(request: PlacedRequest): Static<typeof RequestView> {
  const { block, line, request_id, at, method, path, query, route, status, code, actor_id, ip } = request;
  return {
    id: `log_${block}_${line}`,
    request_id,
    at: iso(at),
    method,
    path,
    query,
    route,
    status,
    error_code: code,
    actor_id,
    ip_address: ip,
    duration_ms: request.took_ms,
    request_bytes: request.bytes_in,
    response_bytes: request.bytes_out,
  };
}
