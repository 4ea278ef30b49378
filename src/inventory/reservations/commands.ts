import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import type { ClaimLine, LineUnits, OrderClaim, Pick } from "./claim.ts";

export declare function claimForOrder(tx: Tx, claim: OrderClaim): Promise<ClaimLine[]>;
export declare function reviseClaim(tx: Tx, claim: OrderClaim): Promise<ClaimLine[]>;
export declare function commitClaim(tx: Tx, order_id: number): Promise<ClaimLine[]>;
export declare function pickClaim(
  tx: Tx,
  order_id: number,
  picks: readonly Pick[],
  how: { readonly confirmed: boolean; readonly actor: Actor },
): Promise<ClaimLine[]>;
/** `anyway` ships units of a lot that may not be shipped: what a carrier reports is never refused. */
export declare function shipClaim(
  tx: Tx,
  order_id: number,
  units: readonly LineUnits[],
  actor: Actor,
  how: { readonly confirmed: boolean; readonly anyway?: boolean },
): Promise<ClaimLine[]>;
export declare function releaseClaim(
  tx: Tx,
  order_id: number,
  units: readonly LineUnits[] | null,
  actor: Actor,
): Promise<ClaimLine[]>;
export declare function pauseClaim(tx: Tx, order_id: number, how: { readonly free: boolean }): Promise<ClaimLine[]>;
export declare function resumeClaim(tx: Tx, order_id: number): Promise<ClaimLine[]>;
export declare function setClaimPriority(tx: Tx, order_id: number, priority: number): Promise<void>;
