// The envelope of responses, and JSON responses with it.
import { type TSchema, Type } from "@sinclair/typebox";
import { iso } from "../core/clock.ts";
import { timestamp } from "../core/schema.ts";
import type { Call } from "./call.ts";
import { entityTag } from "./preconditions.ts";
import type { StoredResponse } from "./stored_responses.sql.ts";
import { traceOf } from "./trace.ts";

/** Metadata of a response. Clients use both spellings of the request id. */
interface ResponseMeta {
  readonly timestamp: string;
  readonly requestId: string;
  readonly request_id: string;
  readonly version: "v1";
}

interface EnvelopedData<Data> {
  readonly success: true;
  readonly data: Data;
  readonly meta: ResponseMeta;
}

/** The `meta` of a response; `now` in milliseconds. */
export function metaOf(request_id: string, now: number): ResponseMeta {
  return { timestamp: iso(now), requestId: request_id, request_id, version: "v1" };
}

/** Wraps the data of a response. */
export function enveloped<Data>(data: Data, request_id: string, now: number): EnvelopedData<Data> {
  return { success: true, data, meta: metaOf(request_id, now) };
}

/** How response data is wrapped: in the envelope, or not at all (customers). */
export type WrapData = (data: unknown, request_id: string, now: number) => unknown;

/** Leaves the data unwrapped, as the customer routes are specified. */
export const bare: WrapData = (data) => data;

/** The response with this data. */
export function writtenAnswer(
  call: Call,
  status: number,
  data: unknown,
  now: number,
  wrap: WrapData = enveloped,
): StoredResponse {
  return { status, body: JSON.stringify(wrap(data, call.request_id, now)), headers: etagOf(data) };
}

/** The `ETag` of data that has one. */
export function etagOf(data: unknown): { readonly etag?: string } {
  const etag = entityTag(data);
  return etag === null ? {} : { etag };
}

/** A response from JSON text. */
export function jsonResponse(call: Call, status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
  traceOf(call.request).bytes_out = Buffer.byteLength(body);
  return new Response(body, {
    status,
    headers: { "content-type": "application/json", "x-request-id": call.request_id, ...call.headers, ...headers },
  });
}

/** The fields of every response's `meta`. */
export const metaFields = {
  timestamp: timestamp("When the response was made."),
  requestId: Type.String({ description: "The same as `request_id`." }),
  request_id: Type.String({ description: "The id of the request, as in `X-Request-Id`, such as `req_42`." }),
  version: Type.Literal("v1", { description: "The version of the API." }),
};

const meta_text = "About the response.";

export const MetaView = Type.Object(metaFields, { additionalProperties: false, description: meta_text });

/** The schema of an enveloped response. */
export const EnvelopedView = <Data extends TSchema>(data: Data) =>
  Type.Object({ success: Type.Literal(true), data, meta: MetaView }, { additionalProperties: false });

export const PaginationView = Type.Object(
  {
    page: Type.Optional(Type.Integer({ description: "The number of the page; absent with a cursor." })),
    limit: Type.Integer({ description: "The most records that a page has." }),
    total: Type.Optional(Type.Integer({ description: "All records that match; absent with a cursor." })),
    total_pages: Type.Optional(Type.Integer({ description: "The number of pages; absent with a cursor." })),
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      description: "The `cursor` of the next page; null on the last one.",
    }),
    has_more: Type.Boolean({ description: "Whether there is a next page." }),
  },
  { additionalProperties: false, description: "Which part of the list the page is." },
);

/** The `meta` of a page of a list. */
export const ListMetaView = Type.Object(
  { ...metaFields, pagination: PaginationView },
  { additionalProperties: false, description: meta_text },
);

/** The schema of an enveloped page of a list. */
export const ListView = <Item extends TSchema>(item: Item) =>
  Type.Object(
    { success: Type.Literal(true), data: Type.Array(item), meta: ListMetaView },
    { additionalProperties: false },
  );

/** The schema of a page of a list without the envelope. */
export const PlainListView = <Item extends TSchema>(item: Item) =>
  Type.Object({ data: Type.Array(item), pagination: PaginationView }, { additionalProperties: false });
