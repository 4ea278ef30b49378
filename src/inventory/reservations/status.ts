import type { Moves } from "../../kit/moves.ts";

export const reservationStatuses = ["reserved", "released", "expired", "committed"] as const;
export type ReservationStatus = (typeof reservationStatuses)[number];

// A committed reservation belongs to an order in work: its units leave by shipping or by cancelling them.
export const reservationMoves = {
  release: { from: ["reserved"], to: "released", held: true, emits: null },
  expire: { from: ["reserved"], to: "expired", held: true, emits: null },
  commit: { from: ["reserved"], to: "committed", held: false, emits: null },
  give_back: { from: ["committed"], to: "released", held: true, emits: null },
} as const satisfies Moves<ReservationStatus>;

/** What becomes of an order's claim without its doing: units it waited for, units now elsewhere, units it lost. */
export const claimNews = ["filled", "moved", "lost"] as const;
export type ClaimNews = (typeof claimNews)[number];

/** Whether a reservation holds its units and no work on its order has begun. */
export function isReserved(status: ReservationStatus): boolean {
  return status === "reserved";
}

/** Whether the work on the order of a reservation has begun. */
export function isCommitted(status: ReservationStatus): boolean {
  return status === "committed";
}

/** Whether a reservation was given up. */
export function isReleased(status: ReservationStatus): boolean {
  return status === "released";
}

/** Whether a reservation ended since its time was over. */
export function isExpired(status: ReservationStatus): boolean {
  return status === "expired";
}
