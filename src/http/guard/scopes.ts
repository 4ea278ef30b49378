import type { Store } from "../../database/store.ts";
import type { Route } from "../route.ts";
import type { Identity } from "./authentication.ts";

/** What of a request decides whose records it sees. */
export interface Asked {
  readonly request: Request;
  /** Below the version. */
  readonly path: string;
  /** Whether it may change something. */
  readonly makes: boolean;
  /** The merchant that its query names; null for none. */
  readonly named: string | null;
}

type Asker = Pick<Identity, "merchant_id" | "store">;
type Admitted = Pick<Identity, "merchant_id" | "store" | "type" | "views_only">;

/** What a request sees of a store. */
interface Seen {
  readonly store: Store;
  /** The store once the body has named a merchant, too. Refuses: validation_failed, merchant_closed. */
  readonly scopeOf: (merchant: unknown) => Store;
}

/** Decides whose records requests see and make. */
export interface Scopes {
  /**
   * Lets a merchant's key or user use a route, or who looks on as the merchant.
   * Refuses: not_for_merchants (or the merchant is closed), merchant_suspended, view_only.
   */
  readonly admit: (asker: Admitted, route: Pick<Route, "id" | "need" | "writes">) => Promise<void>;
  /** What a request sees. Refuses: malformed_header, validation_failed, merchant_closed. */
  readonly of: (asker: Asker, asked: Asked) => Promise<Seen>;
}
