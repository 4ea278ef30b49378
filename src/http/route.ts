import type { TSchema } from "@sinclair/typebox";
import type { FaultCode } from "../kit/fault.ts";

/** What the reference says of one route, beside its body and query schemas. */
export interface RouteNotes {
  /** Name of the operation, `createOrder`. */
  readonly id: string;
  /** One line of what it does. */
  readonly summary: string;
  /** What else there is to know, in full sentences. */
  readonly description?: string;
  /** The answer by status: its schema, or null for a document that is no JSON. */
  readonly answers: Readonly<Record<number, TSchema | null>>;
  /** The media types of the documents that it answers with, or that a client may have instead, by its `Accept`. */
  readonly documents?: readonly string[];
  /** What it may refuse beyond what every route of its kind may: see `refusalsOf` in the reference. */
  readonly refuses?: readonly FaultCode[];
  /** The media type of its body, where that is not JSON. */
  readonly sends?: string;
  /** Whether it honours `If-Match`. */
  readonly matches?: boolean;
  /** Whether its answer carries an `ETag` though it shows no version. */
  readonly tagged?: boolean;
}

/** The notes of a route in the place where Elysia keeps them. */
export function documented(notes: RouteNotes) {
  const {
    id,
    summary,
    description,
    answers,
    documents = [],
    refuses = [],
    sends,
    matches = false,
    tagged = false,
  } = notes;
  const told = description === undefined ? { summary } : { summary, description };
  const asked = { documents, refuses, sends: sends ?? "application/json", matches, tagged };
  return { operationId: id, ...told, answers, ...asked } as Record<string, unknown>;
}
