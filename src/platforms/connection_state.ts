import { isoOrNull } from "../core/clock.ts";
import { open, seal } from "../core/crypto.ts";
import { minute_ms } from "../core/time.ts";
import { secret_purpose } from "./connection.ts";

/** What the service last learned about a connected store. */
export interface ConnectionState {
  readonly connection_id: number;
  /** The access token that was issued for the client id and secret. Sealed. */
  readonly access_token: string | null;
  readonly token_issued_at: number | null;
  readonly token_expires_at: number | null;
  /** The token's scopes, separated by commas. */
  readonly token_scopes: string | null;
  /** Until when a server may be requesting a token; it identifies the request. */
  readonly token_claimed_until: number | null;
  /** Why the last request for a token failed; null if it succeeded. */
  readonly token_error: string | null;
  readonly token_failed_at: number | null;
  /** When the store's changed orders were last listed. */
  readonly fetched_at: number | null;
  /** Why they could not be listed the last time; null if they could. */
  readonly fetch_error: string | null;
  readonly fetch_failed_at: number | null;
  /** When an order last came without its buyer's name and street; null once one came with them. */
  readonly addresses_hidden_at: number | null;
}

/** An access token as the platform issued it. */
export interface IssuedToken {
  readonly token: string;
  readonly lifetime_ms: number;
  /** Its scopes, separated by commas. */
  readonly scopes: string;
}

/** How long one server may take to request a token. */
export const token_claim_ms = minute_ms;

const retry_after_ms = 10 * minute_ms;

/** The fields of a connection without a token. */
export const without_token = {
  access_token: null,
  token_issued_at: null,
  token_expires_at: null,
  token_scopes: null,
  token_claimed_until: null,
  token_error: null,
  token_failed_at: null,
} as const satisfies Partial<ConnectionState>;

/** The fields of a connection that is made again: what was learned about the store may no longer be true. */
export const nothing_learned = {
  ...without_token,
  fetched_at: null,
  fetch_error: null,
  fetch_failed_at: null,
  addresses_hidden_at: null,
} as const satisfies Partial<ConnectionState>;

/** The fields of a connection with a token that was issued at `now` (ms). */
export function withToken({ token, lifetime_ms, scopes }: IssuedToken, secret_key: Uint8Array, now: number) {
  return {
    ...without_token,
    access_token: seal(token, secret_key, secret_purpose),
    token_issued_at: now,
    token_expires_at: now + lifetime_ms,
    token_scopes: scopes,
  } satisfies Partial<ConnectionState>;
}

/** A stored token, and whether a new one should replace it. */
interface StoredToken {
  readonly token: string;
  readonly is_due: boolean;
}

/**
 * Returns the stored token, unless it has expired or is the one that the platform has just refused. It is due for
 * renewal after three quarters of its life; if a renewal failed, again after ten minutes.
 */
export function storedToken(
  state: ConnectionState | null,
  refused: string | null,
  secret_key: Uint8Array,
  now: number,
): StoredToken | null {
  if (state?.access_token == null || state.token_issued_at === null || state.token_expires_at === null) return null;
  const token = open(state.access_token, secret_key, secret_purpose);
  if (token === null || token === refused || state.token_expires_at <= now) return null;
  const renewal_at = state.token_issued_at + ((state.token_expires_at - state.token_issued_at) * 3) / 4;
  const has_failed = state.token_failed_at !== null && now < state.token_failed_at + retry_after_ms;
  return { token, is_due: now >= renewal_at && !has_failed };
}

/**
 * Whether a server is requesting a token. A claim that ends much later than a new one dates from before a clock step;
 * a little later, from a server whose time was read after ours.
 */
export function isTokenClaimed({ token_claimed_until: until }: ConnectionState, now: number): boolean {
  return until !== null && until > now && until <= now + 2 * token_claim_ms;
}

/** How pushing stock to a shop works. */
interface StockHealth {
  readonly last_push_at: number | null;
  /** Listings whose number the shop refused. */
  readonly failed_listings: number;
  /** Differences that are not repaired. */
  readonly differences: number;
  /** Why the last attempt failed. */
  readonly error: string | null;
}

/** How a connection works. */
export interface ConnectionHealth {
  /** When the last notification of an order came, among those that are still stored. */
  readonly last_notification_at: number | null;
  /** When a parcel was last reported. */
  readonly last_report_at: number | null;
  readonly failed_imports: number;
  readonly failed_reports: number;
  readonly stock: StockHealth;
  readonly state: ConnectionState | null;
}

/** Something that somebody should do about a connection. */
interface ConnectionWarning {
  readonly code: "no_access_token" | "fetch_failed" | "addresses_hidden" | "stock_failed";
  readonly message: string;
}

/** What to do about addresses that Shopify withholds. */
export const hidden_addresses_text =
  "Shopify gives this app neither the names nor the streets of buyers, as on the Basic and Starter plans. Such " +
  "orders are held until their address is entered here. A higher plan of the store ends this.";

/** Returns what somebody should do about a connection. */
export function warningsOf({ state, stock }: Pick<ConnectionHealth, "state" | "stock">): ConnectionWarning[] {
  const stock_text = `Stock could not be pushed: ${stock.error}`;
  const of_stock = stock.error === null ? [] : [{ code: "stock_failed" as const, message: stock_text }];
  if (state === null) return of_stock;
  const { token_error, fetch_error, fetch_failed_at, addresses_hidden_at } = state;
  const fetch_text = `The changed orders could not be listed on ${isoOrNull(fetch_failed_at)}: ${fetch_error}`;
  return [
    ...(token_error === null ? [] : [{ code: "no_access_token" as const, message: token_error }]),
    ...(fetch_error === null ? [] : [{ code: "fetch_failed" as const, message: fetch_text }]),
    ...(addresses_hidden_at === null ? [] : [{ code: "addresses_hidden" as const, message: hidden_addresses_text }]),
    ...of_stock,
  ];
}

/** The health of a connection, as the API shows it. */
export function healthView(health: ConnectionHealth) {
  const { state, stock, failed_imports, failed_reports } = health;
  return {
    last_notification_at: isoOrNull(health.last_notification_at),
    last_fetch_at: isoOrNull(state?.fetched_at ?? null),
    last_report_at: isoOrNull(health.last_report_at),
    failed_imports,
    failed_reports,
    last_stock_push_at: isoOrNull(stock.last_push_at),
    failed_listings: stock.failed_listings,
    stock_differences: stock.differences,
    token_expires_at: isoOrNull(state?.token_expires_at ?? null),
  };
}
