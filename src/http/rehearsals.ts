// Dry runs. The act is really done and then undone, so that a dry run always agrees with the act itself.
import { type TSchema, Type } from "@sinclair/typebox";
import { rehearsed } from "../database/rehearsal.ts";
import type { Tx } from "../database/store.ts";
import type { DomainEvent } from "../outbox/catalog.ts";
import { overheard } from "../outbox/emit.ts";
import { answerWrite } from "./answer.ts";
import type { Call } from "./call.ts";
import { enveloped, metaFields } from "./envelope.ts";
import { traceOf } from "./trace.ts";

const ToldView = Type.Object(
  {
    type: Type.String(),
    object: Type.String(),
    id: Type.Union([Type.String(), Type.Null()], { description: "Its id, or the SKU of an `inventory_item`." }),
    changes: Type.Record(Type.String(), Type.Object({ from: Type.Unknown(), to: Type.Unknown() }), {
      description: "The fields of it that would become another value.",
    }),
  },
  { additionalProperties: false },
);

/** The schema of the answer of an act that can be rehearsed. */
export const RehearsableView = <Data extends TSchema>(data: Data) =>
  Type.Object(
    {
      success: Type.Literal(true),
      data,
      meta: Type.Object(
        {
          ...metaFields,
          dry_run: Type.Optional(Type.Literal(true, { description: "Nothing was done." })),
          events: Type.Optional(Type.Array(ToldView, { description: "Of a dry run: the events it would emit." })),
        },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false },
  );

/** Whether an act is done or rehearsed. */
export interface Asked {
  readonly status?: number;
  readonly dry_run?: boolean | undefined;
}

/**
 * As `answerWrite`. With `dry_run` the act is undone, and 200 shows the answer and the events that it would have had.
 * A dry run has no `ETag` and leaves nothing in the audit trail.
 */
export function answerAct<Data>(
  call: Call,
  { status = 200, dry_run = false }: Asked,
  work: (tx: Tx) => Promise<Data>,
): Promise<Response> {
  if (!dry_run) return answerWrite(call, status, work);
  traceOf(call.request).rehearsed = true;
  return answerWrite(
    { ...call, recording: null },
    200,
    (tx) => overheard(tx, () => rehearsed(tx, work)),
    (heard, request_id, now) => {
      const { answer, events } = heard as { answer: Data; events: readonly DomainEvent[] };
      const { meta, ...plain } = enveloped(answer, request_id, now);
      return { ...plain, meta: { ...meta, dry_run: true, events: events.map(toldView) } };
    },
  );
}

function toldView({ type, data, previous = {} }: DomainEvent) {
  const { object, id, sku } = data as { readonly object: string; readonly id?: string; readonly sku?: string };
  const after = data as Readonly<Record<string, unknown>>;
  const changes = Object.entries(previous).map(([field, from]) => [field, { from, to: after[field] ?? null }]);
  return { type, object, id: id ?? sku ?? null, changes: Object.fromEntries(changes) };
}
