// In a file of its own, since the schema of the database reads it.
import type { Transitions } from "../../core/transitions.ts";

export const documentStatuses = ["processing", "completed", "failed"] as const;
export type DocumentStatus = (typeof documentStatuses)[number];

export const documentTransitions = {
  complete: { from: ["processing"], to: "completed", held: false, emits: null },
  fail: { from: ["processing"], to: "failed", held: false, emits: null },
} as const satisfies Transitions<DocumentStatus>;

/** The first status of a document. */
export const documentStarts: DocumentStatus = "processing";

/** Whether a document can be downloaded. */
export function isDrawn(status: DocumentStatus): boolean {
  return status === "completed";
}
