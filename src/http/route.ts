import type { TSchema } from "@sinclair/typebox";

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
  /** The media types that a client may have instead, by its `Accept`. */
  readonly documents?: readonly string[];
}

/** The notes of a route in the place where Elysia keeps them. */
export function documented(notes: RouteNotes) {
  const { id, summary, description, answers, documents = [] } = notes;
  const told = description === undefined ? { summary } : { summary, description };
  return { operationId: id, ...told, answers, documents } as Record<string, unknown>;
}
