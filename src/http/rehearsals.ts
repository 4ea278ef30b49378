import { type TSchema, Type } from "@sinclair/typebox";
import { captureEvents } from "../events/emit.ts";
import type { DomainEvent } from "../events/event_types.ts";
import type { Tx } from "../storage/database.ts";
import type { Call } from "./call.ts";
import { enveloped, metaFields } from "./envelope.ts";
import { answerWrite } from "./response.ts";
import { traceOf } from "./trace.ts";

/**
 * Runs work in a transaction, including its deferred checks, then undoes it. Returns the result that it would have had.
 */
async function runAndUndo<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  let ended: { readonly answer: T } | null = null;
  const undone = new Error("the dry run is undone");
  try {
    await tx.nested(async (part) => {
      ended = { answer: await part.nested(work) };
      throw undone;
    });
  } catch (error) {
    if (error !== undone) throw error;
  }
  return (ended as unknown as { readonly answer: T }).answer;
}

// Dry runs. The act is really run and then undone, so that a dry run always agrees with the act.

const DryRunChangeView = Type.Object({
  from: Type.Unknown({ description: "The value now." }),
  to: Type.Unknown({ description: "The value after the act." }),
});

const DryRunEventView = Type.Object(
  {
    type: Type.String({ description: "The event type, such as `order.shipped`." }),
    object: Type.String({ description: "The type of the record, such as `order`." }),
    id: Type.Union([Type.String(), Type.Null()], {
      description: "Its id, or the SKU of an `inventory_item`. Null for a record that the act would create.",
    }),
    changes: Type.Record(Type.String(), DryRunChangeView, {
      description: "The fields whose value would change.",
    }),
  },
  { additionalProperties: false },
);

/** The `meta` of the response of an act that supports a dry run. */
export const DryRunMetaView = Type.Object(
  {
    ...metaFields,
    dry_run: Type.Optional(Type.Literal(true, { description: "This was a dry run: nothing was changed." })),
    events: Type.Optional(
      Type.Array(DryRunEventView, { description: "In a dry run: the events that would be emitted." }),
    ),
  },
  { additionalProperties: false, description: "About the response, and what a dry run would do." },
);

/** The schema of the response to a dry run. `data` is what it shows: the ids of new records are null. */
export const DryRunView = <Data extends TSchema>(data: Data) =>
  Type.Object({ success: Type.Literal(true), data, meta: DryRunMetaView }, { additionalProperties: false });

/**
 * The schema of the response of an act that supports a dry run and has the same status in both. `preview` is what a dry
 * run shows, if the act can create records.
 */
export const RehearsableView = (data: TSchema, preview: TSchema = data) =>
  DryRunView(preview === data ? data : Type.Union([data, preview]));

/** The options of an act that supports a dry run. */
export interface RehearsalRequest {
  readonly status?: number;
  readonly dry_run?: boolean | undefined;
  /** For a response that shows a secret: the key that encrypts its stored copy. */
  readonly secret_key?: Uint8Array;
}

/**
 * As `answerWrite`. With `dry_run`, the act is undone, and the response is 200 with the data and events that it would
 * have had, without the ids of new records: later records may get those. A dry run has no `ETag` and leaves no audit
 * entry.
 */
export async function answerAct<Data>(
  call: Call,
  { status = 200, dry_run = false, secret_key }: RehearsalRequest,
  work: (tx: Tx) => Promise<Data>,
): Promise<Response> {
  if (!dry_run) return answerWrite(call, status, work, undefined, secret_key);
  traceOf(call.request).rehearsed = true;
  // Loaded on demand, so that startup does not load the tables of orders.
  const { findIdsWithoutRecord } = await import("./new_records.sql.ts");
  return answerWrite(
    { ...call, recording: null },
    200,
    async (tx) => {
      const { answer, events } = await captureEvents(tx, () => runAndUndo(tx, work));
      return withoutNewIds({ answer, events: events.map(eventView) }, (ids) => findIdsWithoutRecord(tx, ids));
    },
    (rehearsed, request_id, now) => {
      const { answer, events } = rehearsed as { answer: Data; events: readonly object[] };
      const { meta, ...plain } = enveloped(answer, request_id, now);
      return { ...plain, meta: { ...meta, dry_run: true, events } };
    },
  );
}

function eventView({ type, data, previous = {} }: DomainEvent) {
  const { object, id, sku } = data as { readonly object: string; readonly id?: string; readonly sku?: string };
  const after = data as Readonly<Record<string, unknown>>;
  const changes = Object.entries(previous).map(([field, from]) => [field, { from, to: after[field] ?? null }]);
  return { type, object, id: id ?? sku ?? null, changes: Object.fromEntries(changes) };
}

const id_fields: ReadonlySet<string> = new Set(["id", "line_id", "refund_id"]);

type FindNewIds = (ids: ReadonlySet<string>) => Promise<ReadonlySet<string>>;

/** The data with null in place of the ids that the undone act has allotted. */
async function withoutNewIds<Data extends object>(data: Data, findNewIds: FindNewIds): Promise<Data> {
  const ids = new Set<string>();
  eachId(data, (id) => {
    ids.add(id);
    return id;
  });
  const new_ids = await findNewIds(ids);
  return eachId(data, (id) => (new_ids.has(id) ? null : id)) as Data;
}

/** Copies data, with `replace` applied to the ids of its records. */
function eachId(value: unknown, replace: (id: string) => string | null): unknown {
  if (Array.isArray(value)) return value.map((item) => eachId(item, replace));
  if (typeof value !== "object" || value === null) return value;
  // The SKU of an item can look like an id, and so can what clients store in metadata.
  const isOfStock = "object" in value && value.object === "inventory_item";
  const fields = Object.entries(value).map(([name, field]) => {
    if (name === "metadata") return [name, field];
    if (typeof field === "string" && id_fields.has(name) && !isOfStock) return [name, replace(field)];
    return [name, eachId(field, replace)];
  });
  return Object.fromEntries(fields);
}
