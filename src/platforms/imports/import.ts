import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import type { PlatformOrder, StoreConnection } from "../platform.ts";
import type { ImportStatus, PlatformOrderState } from "../status.ts";

/**
 * Digests of what was last imported of an order, by part: an equal digest means that nothing changed at the platform.
 */
export interface Seen {
  readonly state: PlatformOrderState;
  readonly address: string;
  readonly lines: string;
  readonly shipping_method: string;
  readonly notes: string;
}

/** A line of the platform and what it ordered here. */
export interface ImportedLine {
  readonly external_id: string;
  readonly sku: string;
  readonly quantity: number;
}

/** The claim of one order of a platform to one order here, and the state of its import. */
export interface Import {
  readonly id: number;
  readonly merchant_id: number;
  readonly connection_id: number;
  readonly external_id: string;
  /** The order's id here, given to it with the first notification. */
  readonly order_id: number;
  readonly status: ImportStatus;
  /** Counts the notifications of the order. */
  readonly revision: number;
  /** The order as last received; null when it has to be fetched, or was processed. */
  readonly payload: PlatformOrder | null;
  /** When the order, as last processed, had changed at the platform. */
  readonly external_updated_at: number | null;
  readonly seen: Seen | null;
  readonly lines: readonly ImportedLine[];
  /** Tries since it was last queued. */
  readonly attempts: number;
  readonly next_at: number | null;
  readonly leased_until: number | null;
  /** When it is given up unless it succeeds before. */
  readonly give_up_at: number;
  /** Why it is not imported. */
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly imported_at: number | null;
}

/** An import claimed by this server, and the store that it is from. */
export interface Claim {
  readonly connection: StoreConnection;
  readonly import: Import;
}

/** The import as the API shows it. */
export function importView(one: Import) {
  const { error_code: code, error_message: message } = one;
  return {
    id: wireId("import", one.id),
    external_id: one.external_id,
    order_id: wireId("order", one.order_id),
    status: one.status,
    reason: code === null ? null : { code, message: message ?? "" },
    attempts: one.attempts,
    next_attempt_at: one.status === "queued" ? isoOrNull(one.next_at) : null,
    external_updated_at: isoOrNull(one.external_updated_at),
    imported_at: isoOrNull(one.imported_at),
    created_at: iso(one.created_at),
    updated_at: iso(one.updated_at),
  };
}
