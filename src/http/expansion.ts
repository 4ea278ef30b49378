// Stands alone so that calls and routes can hold expansions, which are read for a call of a route.
import type { TSchema } from "@sinclair/typebox";
import type { IdNoun } from "../core/ids.ts";
import type { Db } from "../storage/database.ts";
import type { RouteNeed } from "./auth/permissions.ts";

/** The kinds of records that responses can include. `order` stands next to `order_id`. */
export const expandable = [
  "customer",
  "label",
  "merchant",
  "order",
  "product",
  "return",
  "shipment",
  "warehouse",
] as const satisfies IdNoun[];
export type Expandable = (typeof expandable)[number];

/** The caller of a route, who decides what its views show. */
interface ExpansionCaller {
  /** The merchant of the key or user; null for the operator's. */
  readonly merchant_id: number | null;
}

/** How records of a kind are included in responses: as their list shows them. */
export interface Expansion {
  readonly name: Expandable;
  /** What the caller needs to read them. */
  readonly needs: RouteNeed;
  readonly view: TSchema;
  /** The views of the records with these ids, in any order, without those that the caller may not see. */
  readonly read: (db: Db, ids: readonly number[], caller: ExpansionCaller) => Promise<readonly object[]>;
}
