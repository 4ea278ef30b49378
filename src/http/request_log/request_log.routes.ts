import type { Static } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { iso, momentOf } from "../../core/clock.ts";
import { missing } from "../../core/faults.ts";
import { queryOf } from "../../core/schema.ts";
import type { Call } from "../call.ts";
import { conventions } from "../conventions.ts";
import { EnvelopedView, ListView } from "../envelope.ts";
import { answerList } from "../pagination.ts";
import { answerRead } from "../response.ts";
import { documented } from "../route.ts";
import type { Service } from "../service.ts";
import { narrowedByRequestId, type RequestFilter } from "./logged_request.ts";
import { type RequestLog, requestLogOf } from "./request_log.jobs.ts";
import { ListRequests, RequestView } from "./request_log.schema.ts";
import { findRequest, findRequests, type PlacedRequest } from "./request_log.sql.ts";

/** The routes of the request log. */
export const requestRoutes = (service: Service) => {
  const log = requestLogOf(service);
  return new Elysia({ prefix: "/requests" })
    .use(conventions)
    .get("", ({ call, query }) => list(call, query, log), {
      query: queryOf(ListRequests),
      detail: documented({
        id: "listRequests",
        needs: "requests.read",
        chapter: "Service",
        summary: "List recent requests, newest first",
        description:
          "Every API request in the environment of the caller, including refused ones. Unauthenticated requests are" +
          " in live data. Bodies, and values of parameters that may be secret, are never logged. Requests are kept" +
          " for seven days unless the operator configures otherwise (`--request-log-days`), up to 256 MiB in total." +
          " After a crash, those of the last second may be missing. A page may end early, with `has_more`, when few" +
          " requests match.",
        answers: { 200: ListView(RequestView) },
      }),
    })
    .get("/:id", ({ call, params }) => get(call, params.id, log), {
      detail: documented({
        id: "getRequest",
        needs: "requests.read",
        chapter: "Service",
        summary: "Get a recent request",
        description: "By its `id`, or the latest one with this `request_id`.",
        answers: { 200: EnvelopedView(RequestView) },
      }),
    });
};

const nothing: RequestFilter = {
  actor_id: null,
  status: null,
  method: null,
  route: null,
  from: null,
  to: null,
  request_id: null,
};

async function list(call: Call, query: ListRequests, log: RequestLog): Promise<Response> {
  // A caller can find its own latest requests.
  await log.flush();
  const { actor: actor_id = null, status = null, method = null, route = null, q = null } = query;
  const without_dashboard = query.dashboard_reads === false;
  const moments = { from: momentOf(query.from) ?? null, to: momentOf(query.to) ?? null };
  const filter = narrowedByRequestId({ actor_id, status, method, route, ...moments, request_id: q, without_dashboard });
  return answerList(
    call,
    query,
    {
      rows: (db, { limit, after }) => findRequests(db, filter, { limit, after: after && [Number(after[0]), after[1]] }),
      count: async () => 0,
      position: ({ block, line }) => [block, line],
    },
    (requests) => requests.map(requestView),
  );
}

async function get(call: Call, id: string, log: RequestLog): Promise<Response> {
  await log.flush();
  const [, block, line] = /^log_(\d{1,15})_(\d{1,6})$/.exec(id) ?? [];
  return answerRead(call, async (db) => {
    const by_id = { ...nothing, request_id: id };
    const found =
      block === undefined
        ? (await findRequests(db, narrowedByRequestId(by_id), { limit: 1, after: null })).rows[0]
        : await findRequest(db, Number(block), Number(line));
    if (!found) throw missing("request", id);
    return requestView(found);
  });
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
