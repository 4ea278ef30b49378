import { iso } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import type { Session } from "./session.ts";

/** A session as the API shows it; `current` is the hash of the one that asks. */
export function sessionView({ id, hash, ip, user_agent, ...times }: Session, current: string | null) {
  return {
    id: wireId("session", id),
    current: hash === current,
    ip,
    user_agent,
    created_at: iso(times.created_at),
    last_seen_at: iso(times.last_seen_at),
    expires_at: iso(times.expires_at),
  };
}
