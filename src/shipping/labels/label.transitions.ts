import type { Transitions } from "../../core/transitions.ts";

export const labelStatuses = ["processing", "completed", "error", "voided"] as const;
export type LabelStatus = (typeof labelStatuses)[number];

export const labelTransitions = {
  complete: { from: ["processing"], to: "completed", held: false, emits: "shipment.created" },
  fail: { from: ["processing"], to: "error", held: false, emits: null },
  void: { from: ["completed"], to: "voided", held: false, emits: null },
} as const satisfies Transitions<LabelStatus>;

/** The first status of a carrier's label. A built-in label is complete at once. */
export const labelStarts: LabelStatus = "processing";

/** The statuses of labels that keep their parcel from getting another label. */
export const validLabelStatuses = ["processing", "completed"] as const satisfies readonly LabelStatus[];

/** The statuses of labels with which a parcel can ship. */
export const usableLabelStatuses = ["completed"] as const satisfies readonly LabelStatus[];

/** The statuses of labels that were paid for. */
export const boughtLabelStatuses = ["completed", "voided"] as const satisfies readonly LabelStatus[];

/** The statuses of labels that no parcel may ship with any more. */
export const voidedLabelStatuses = ["voided"] as const satisfies readonly LabelStatus[];

/** Whether the purchase is in progress at the carrier. */
export function isBeingBought(status: LabelStatus): boolean {
  return status === "processing";
}

/** Whether a parcel can ship with the label. */
export function isUsable(status: LabelStatus): boolean {
  return status === "completed";
}

/** Whether the label was bought and later voided. */
export function isVoided(status: LabelStatus): boolean {
  return status === "voided";
}

/** Whether the purchase failed. */
export function hasFailed(status: LabelStatus): boolean {
  return status === "error";
}

/** The progress of voiding at a carrier: requested, submitted for a later decision, or accepted. */
export const voidStatuses = ["asked", "submitted", "accepted"] as const;
export type VoidStatus = (typeof voidStatuses)[number];

export const voidStarts: VoidStatus = "asked";

export const voidTransitions = {
  submit: { from: ["asked"], to: "submitted", held: false, emits: null },
  accept: { from: ["asked"], to: "accepted", held: false, emits: null },
} as const satisfies Transitions<VoidStatus>;

/** The progress of voiding as the API shows it. The database has `asked` for a requested one. */
export const shownVoidStatuses = ["requested", "submitted", "accepted"] as const;

/** Converts the progress of voiding to its API form. */
export function shownVoidStatus(status: VoidStatus | null): (typeof shownVoidStatuses)[number] | null {
  return status === "asked" ? "requested" : status;
}

/** Whether a carrier has been asked to void its label and has not decided. */
export function isBeingVoided(void_status: VoidStatus | null): boolean {
  return void_status === "asked";
}
