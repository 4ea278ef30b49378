import type { Moves } from "../../kit/moves.ts";

export const reportStatuses = ["queued", "reported", "skipped", "failed"] as const;
export type ReportStatus = (typeof reportStatuses)[number];

// A parcel that has left and what its platform knows of it. A report is skipped when there is nothing that the platform
// could take, or its API may not be called.
// biome-ignore format: a table is read by its columns.
export const reportMoves = {
  report:  { from: ["queued"],            to: "reported", held: false, emits: null },
  skip:    { from: ["queued"],            to: "skipped",  held: false, emits: null },
  give_up: { from: ["queued"],            to: "failed",   held: false, emits: null },
  retry:   { from: ["skipped", "failed"], to: "queued",   held: false, emits: null },
  // The connection was given another address or other secrets.
  reconnect: { from: ["skipped", "failed"], to: "queued", held: false, emits: null },
} as const satisfies Moves<ReportStatus>;

/** What a new report is, unless nothing can be reported. */
export const reportStarts: ReportStatus = "queued";

/** The statuses of reports that wait for their turn. */
export const queuedReports: readonly ReportStatus[] = reportMoves.report.from;

/** Whether a report waits for its turn. */
export const isQueued = (status: ReportStatus): boolean => queuedReports.includes(status);

/** Whether a report was given up after an error. */
export const isGivenUp = (status: ReportStatus): boolean => status === "failed";
