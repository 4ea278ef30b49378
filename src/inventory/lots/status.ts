import type { Moves } from "../../kit/moves.ts";
import type { LotStatus } from "../status.ts";

// Every way in which a lot's status changes. A recall ends only when it is withdrawn. Only time makes a lot expire;
// correcting a wrong expiry undoes that.
export const lotMoves = {
  release: { from: ["on_hold", "quarantined", "recalled", "damaged"], to: "available", held: true, emits: null },
  hold: { from: ["available", "quarantined"], to: "on_hold", held: true, emits: null },
  quarantine: { from: ["available", "on_hold", "damaged", "expired"], to: "quarantined", held: true, emits: null },
  recall: {
    from: ["available", "on_hold", "quarantined", "damaged", "expired"],
    to: "recalled",
    held: true,
    emits: null,
  },
  damage: { from: ["available", "on_hold", "quarantined", "expired"], to: "damaged", held: true, emits: null },
  expire: { from: ["available"], to: "expired", held: true, emits: null },
  correct: { from: ["expired"], to: "available", held: true, emits: null },
} as const satisfies Moves<LotStatus>;
type LotAction = keyof typeof lotMoves;

/** The statuses that a client may set; lots expire by themselves. */
export const givenLotStatuses = ["available", "on_hold", "quarantined", "recalled", "damaged"] as const;
export type GivenLotStatus = (typeof givenLotStatuses)[number];

/** The action that leads to each status that a client may set. */
export const lotActions: Readonly<Record<GivenLotStatus, LotAction>> = {
  available: "release",
  on_hold: "hold",
  quarantined: "quarantine",
  recalled: "recall",
  damaged: "damage",
};
