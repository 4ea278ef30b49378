import { type TSchema, Type } from "@sinclair/typebox";
import { iso } from "../core/clock.ts";
import { Timestamp } from "../core/schema.ts";

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

/** The fields of every response's `meta`. */
export const metaFields = {
  timestamp: Timestamp,
  requestId: Type.String(),
  request_id: Type.String(),
  version: Type.Literal("v1"),
};

export const MetaView = Type.Object(metaFields, { additionalProperties: false });

/** The schema of an enveloped response. */
export const EnvelopedView = <Data extends TSchema>(data: Data) =>
  Type.Object({ success: Type.Literal(true), data, meta: MetaView }, { additionalProperties: false });

export const PaginationView = Type.Object(
  {
    page: Type.Optional(Type.Integer()),
    limit: Type.Integer(),
    total: Type.Optional(Type.Integer()),
    total_pages: Type.Optional(Type.Integer()),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
    has_more: Type.Boolean(),
  },
  { additionalProperties: false },
);

/** The schema of an enveloped page of a list. */
export const ListView = <Item extends TSchema>(item: Item) =>
  Type.Object(
    {
      success: Type.Literal(true),
      data: Type.Array(item),
      meta: Type.Object({ ...metaFields, pagination: PaginationView }, { additionalProperties: false }),
    },
    { additionalProperties: false },
  );

/** The schema of a page of a list without the envelope. */
export const PlainListView = <Item extends TSchema>(item: Item) =>
  Type.Object({ data: Type.Array(item), pagination: PaginationView }, { additionalProperties: false });
