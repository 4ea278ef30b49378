import type { Moves } from "../../kit/moves.ts";

export const reportStatuses = ["queued", "reported", "skipped", "failed"] as const;
export type ReportStatus = (typeof reportStatuses)[number];

// The report of a parcel that has left. It is skipped when the platform's order has nothing of it, or its API may not
// be called.
// biome-ignore format: a table is read by its columns.
export const reportMoves = {
  report:  { from: ["queued"],            to: "reported", held: false, emits: null },
  skip:    { from: ["queued"],            to: "skipped",  held: false, emits: null },
  give_up: { from: ["queued"],            to: "failed",   held: false, emits: null },
  retry:   { from: ["skipped", "failed"], to: "queued",   held: false, emits: null },
  // The connection got another address or other secrets.
  reconnect: { from: ["skipped", "failed"], to: "queued", held: false, emits: null },
} as const satisfies Moves<ReportStatus>;

/** The first status of a report, unless nothing can be reported. */
export const reportStarts: ReportStatus = "queued";

/** The statuses of reports that wait for their turn. */
export const queuedReports: readonly ReportStatus[] = reportMoves.report.from;

/** Whether a report waits for its turn. */
export const isQueued = (status: ReportStatus): boolean => queuedReports.includes(status);

/** Whether a report was given up after an error. */
export const isGivenUp = (status: ReportStatus): boolean => status === "failed";
