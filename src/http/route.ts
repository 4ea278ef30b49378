import type { TSchema } from "@sinclair/typebox";

/** What the reference says of one route, beside its body and query schemas. */
export interface RouteNotes {
  /** Name of the operation, `createOrder`. */
  readonly id: string;
  /** One line of what it does. */
  readonly summary: string;
  /** The answer by status: its schema, or null for a document that is no JSON. */
  readonly answers: Readonly<Record<number, TSchema | null>>;
}

/** The notes of a route in the place where Elysia keeps them. */
export function documented(notes: RouteNotes) {
  return { operationId: notes.id, summary: notes.summary, answers: notes.answers } as Record<string, unknown>;
}
