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

const DryRunEventView = Type.Object(
  {
    type: Type.String(),
    object: Type.String(),
    id: Type.Union([Type.String(), Type.Null()], { description: "Its id, or the SKU of an `inventory_item`." }),
    changes: Type.Record(Type.String(), Type.Object({ from: Type.Unknown(), to: Type.Unknown() }), {
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
  { additionalProperties: false },
);

/** The schema of the response of an act that supports a dry run. */
export const RehearsableView = <Data extends TSchema>(data: Data) =>
  Type.Object({ success: Type.Literal(true), data, meta: DryRunMetaView }, { additionalProperties: false });

/** The options of an act that supports a dry run. */
export interface RehearsalRequest {
  readonly status?: number;
  readonly dry_run?: boolean | undefined;
}

/**
 * As `answerWrite`. With `dry_run`, the act is undone, and the response is 200 with the data and events that it would
 * have had. A dry run has no `ETag` and leaves no audit entry.
 */
export function answerAct<Data>(
  call: Call,
  { status = 200, dry_run = false }: RehearsalRequest,
  work: (tx: Tx) => Promise<Data>,
): Promise<Response> {
  if (!dry_run) return answerWrite(call, status, work);
  traceOf(call.request).rehearsed = true;
  return answerWrite(
    { ...call, recording: null },
    200,
    (tx) => captureEvents(tx, () => runAndUndo(tx, work)),
    (captured, request_id, now) => {
      const { answer, events } = captured as { answer: Data; events: readonly DomainEvent[] };
      const { meta, ...plain } = enveloped(answer, request_id, now);
      return { ...plain, meta: { ...meta, dry_run: true, events: events.map(eventView) } };
    },
  );
}

function eventView({ type, data, previous = {} }: DomainEvent) {
  const { object, id, sku } = data as { readonly object: string; readonly id?: string; readonly sku?: string };
  const after = data as Readonly<Record<string, unknown>>;
  const changes = Object.entries(previous).map(([field, from]) => [field, { from, to: after[field] ?? null }]);
  return { type, object, id: id ?? sku ?? null, changes: Object.fromEntries(changes) };
}
