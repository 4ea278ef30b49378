import type { Transitions } from "../core/transitions.ts";

/** The kinds of records that a file can contain. */
export const importKinds = ["orders", "customers", "products", "stock"] as const;
export type ImportKind = (typeof importKinds)[number];

/** The kinds whose files name people. */
export const personalKinds = ["orders", "customers"] as const satisfies readonly ImportKind[];

/** `mapping`: the columns must be mapped first. `checked`: nothing is written until it is run. */
export const fileImportStatuses = [
  ...(["mapping", "checking", "checked", "importing", "done", "failed", "cancelled"] as const),
] as const;
export type FileImportStatus = (typeof fileImportStatuses)[number];

// biome-ignore format: a table is read by its columns.
export const fileImportTransitions = {
  check:  { from: ["mapping", "checked"],               to: "checking",  held: false, emits: null },
  run:    { from: ["checked"],                          to: "importing", held: false, emits: null },
  cancel: { from: ["mapping", "checking", "checked", "importing"], to: "cancelled", held: false, emits: null },
  // The rows were checked, or the file was refused as a whole.
  finish_check: { from: ["checking"],  to: "checked", held: false, emits: null, of: ["check"] },
  refuse_check: { from: ["checking"],  to: "mapping", held: false, emits: null, of: ["check"] },
  finish_run:   { from: ["importing"], to: "done",    held: false, emits: null, of: ["run"] },
  refuse_run:   { from: ["importing"], to: "failed",  held: false, emits: null, of: ["run"] },
} as const satisfies Transitions<FileImportStatus>;

/** The status of a file whose columns must be mapped. */
export const unmappedStatus: FileImportStatus = fileImportTransitions.refuse_check.to;
/** The status of a file whose rows are being checked. */
export const checkingStatus: FileImportStatus = fileImportTransitions.check.to;

/** The status of a cancelled import, and those that it may have had before. */
export const { to: cancelledStatus, from: cancellableStatuses } = fileImportTransitions.cancel;

/** Whether the rows are being checked, not imported. */
export const isChecking = (status: FileImportStatus): boolean => status === "checking";
/** Whether the rows shown are those of a check. */
export const isOnlyChecked = (status: FileImportStatus): boolean => !["importing", "done", "failed"].includes(status);
/** Whether a server is to work on it. */
export const isUnderWay = (status: FileImportStatus): boolean => status === "checking" || status === "importing";
/** What a row does. `held`: it is correct, but another row of its record is not. */
export const rowChanges = ["created", "updated", "failed", "held"] as const;
export type RowChangeKind = (typeof rowChanges)[number];
