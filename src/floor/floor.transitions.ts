import type { Transitions } from "../core/transitions.ts";

/** How the orders of a wave are picked: into totes of their own, together, one-unit orders together, or one alone. */
export const waveModes = ["cluster", "batch", "single", "order"] as const;
export type WaveMode = (typeof waveModes)[number];

export const waveStatuses = ["planned", "released", "picking", "picked", "closed", "cancelled"] as const;
export type WaveStatus = (typeof waveStatuses)[number];

/** The status of a new wave. */
export const initialWaveStatus = "planned" satisfies WaveStatus;
/** The statuses of a wave whose orders may be picked. */
export const pickableWaveStatuses = ["released", "picking", "picked"] as const satisfies readonly WaveStatus[];
/** Whether the orders of a wave may be picked. */
export const isPickable = (status: WaveStatus): boolean =>
  (pickableWaveStatuses as readonly WaveStatus[]).includes(status);
/** Whether a wave waits for its release. */
export const awaitsRelease = (status: WaveStatus): boolean => status === "planned";
/** Whether picking has begun and is not complete. */
export const isBeingPicked = (status: WaveStatus): boolean => status === "picking";
/** Whether nothing of a wave's orders was left to pick when it was last changed. */
export const isWavePicked = (status: WaveStatus): boolean => status === "picked";

const unpicked = ["planned", "released", "picking"] as const;

// A wave is `picked` once nothing of its orders is left to pick, and closes once they are packed. Taking back a pick
// makes it `picking` again.
// biome-ignore format: a table is read by its columns.
export const waveTransitions = {
  release: { from: ["planned"],             to: "released",  held: true, emits: null },
  pick:    { from: ["released", "picking"], to: "picking",   held: true, emits: null },
  finish:  { from: ["released", "picking"], to: "picked",    held: true, emits: null },
  resume:  { from: ["picked"],              to: "picking",   held: true, emits: null },
  close:   { from: ["picked"],              to: "closed",    held: true, emits: null },
  cancel:  { from: unpicked,                to: "cancelled", held: true, emits: null },
} as const satisfies Transitions<WaveStatus>;

/** The kinds of tasks on the floor. */
export const taskKinds = ["pick", "pack", "put_back"] as const;
export type TaskKind = (typeof taskKinds)[number];

export const packingStatuses = ["open", "closed", "cancelled"] as const;
export type PackingStatus = (typeof packingStatuses)[number];

/** The status of a new packing session. */
export const initialPackingStatus = "open" satisfies PackingStatus;
/** Whether units can be scanned into a parcel. */
export const isBeingPacked = (status: PackingStatus): boolean => status === initialPackingStatus;
/** Whether a parcel is packed. */
export const isPackedParcel = (status: PackingStatus): boolean => status === "closed";

// biome-ignore format: a table is read by its columns.
export const packingTransitions = {
  scan:   { from: ["open"], to: "open",      held: false, emits: null },
  close:  { from: ["open"], to: "closed",    held: false, emits: null },
  cancel: { from: ["open"], to: "cancelled", held: true,  emits: null },
} as const satisfies Transitions<PackingStatus>;

/** How a printer is reached: ZPL over a raw TCP connection, or documents over the Internet Printing Protocol. */
export const printerKinds = ["zpl_tcp", "ipp"] as const;
export type PrinterKind = (typeof printerKinds)[number];

export const printJobStatuses = ["queued", "sending", "sent", "failed", "cancelled"] as const;
export type PrintJobStatus = (typeof printJobStatuses)[number];

/** The first status of a print job. */
export const printJobStarts: PrintJobStatus = "queued";

// A job whose server ended while it sent may have been printed. It fails, and is never sent again by itself.
// biome-ignore format: a table is read by its columns.
export const printJobTransitions = {
  send:   { from: ["queued"],            to: "sending",   held: false, emits: null },
  retry:  { from: ["sending"],           to: "queued",    held: false, emits: null },
  finish: { from: ["sending"],           to: "sent",      held: false, emits: null },
  fail:   { from: ["queued", "sending"], to: "failed",    held: false, emits: null },
  cancel: { from: ["queued"],            to: "cancelled", held: false, emits: null },
} as const satisfies Transitions<PrintJobStatus>;

/** What a print job prints. */
export const printKinds = ["label", "packing_slip", "test"] as const;
export type PrintKind = (typeof printKinds)[number];
