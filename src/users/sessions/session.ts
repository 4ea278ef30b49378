import { createHash } from "node:crypto";

/** How long a session lasts. */
export const session_ms = 30 * 24 * 3_600_000;

/** A session of a user, usually one browser. */
export interface Session {
  readonly id: number;
  readonly user_id: number;
  readonly hash: string;
  readonly created_at: number;
  readonly last_seen_at: number;
  readonly expires_at: number;
  readonly ip: string | null;
  readonly user_agent: string | null;
  /** The merchant as whose member the user has chosen to act; null for the first membership. */
  readonly acts_for: number | null;
  /** The merchant as whom a member of the house looks on. */
  readonly views_as: number | null;
}

/** What a cookie or a link holds: 32 random bytes as text. */
export const tokenOf = (random: Uint8Array): string => Buffer.from(random).toString("base64url");

/** What is kept of it. */
export const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/** The name of the cookie; over an encrypted connection it is bound to this host. */
const cookieName = (secure: boolean) => (secure ? "__Host-sid" : "sid");

/** The token that a request's cookie holds, or null. */
export function tokenIn(request: Request, secure: boolean): string | null {
  const header = request.headers.get("cookie");
  if (header === null) return null;
  const found = header.split(/; */).find((part) => part.startsWith(`${cookieName(secure)}=`));
  const token = found?.slice(cookieName(secure).length + 1) ?? "";
  return /^[\w-]{43}$/.test(token) ? token : null;
}

/** The header that gives a browser its token; null takes it away. */
export function cookieOf(token: string | null, secure: boolean): string {
  const [value, age] = token === null ? ["", 0] : [token, session_ms / 1000];
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}${secure ? "; Secure" : ""}`;
  return `${cookieName(secure)}=${value}; ${attributes}`;
}
