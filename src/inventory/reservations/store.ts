import type { Db } from "../../database/store.ts";
import type { ClaimLine, PlannedUnits } from "./claim.ts";

export declare function claimsOf(db: Db, order_ids: readonly number[]): Promise<Map<number, ClaimLine[]>>;
export declare function planOf(db: Db, order_id: number): Promise<PlannedUnits[]>;
