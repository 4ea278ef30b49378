import { Fault } from "../../core/faults.ts";
import type { Route } from "../route.ts";
import type { Identity } from "./authentication.ts";
import { levelFor, permissions } from "./permissions.ts";
import {
  fullBucket,
  type RateLimit,
  secondsToFull,
  setLimitHeaders,
  type TokenBucket,
  takeToken,
} from "./rate_limits.ts";

type RouteAccess = Pick<Route, "need" | "live_only">;

/** Whether a key or user has the permission that a route needs. */
export function isPermitted({ type, granted, store }: Identity, { need, live_only }: RouteAccess): boolean {
  if (need === "any") return true;
  if (need === "user") return type === "user";
  if (live_only && type === "api_key" && store.mode === "test") return false;
  return need !== "none" && granted.permissions.has(need);
}

/** Creates the fault of a request without the permission that its route needs. */
export function insufficient({ granted, store }: Identity, { need, live_only }: RouteAccess): Fault {
  if (need === "none" || need === "any" || need === "user") {
    return new Fault("insufficient_permission", "This route requires a signed-in user, not an API key.", {
      required: "user",
      granted: granted.name,
    });
  }
  if (granted.lacks_factor) {
    return new Fault("second_factor_setup_required", "Set up two-factor authentication first, in your profile.", {
      role: granted.name,
    });
  }
  if (granted.by === "role") {
    const message = `Your role ${granted.name} lacks the permission ${need} (${permissions[need].toLowerCase()}).`;
    return new Fault("insufficient_permission", message, { permission: need, role: granted.name });
  }
  const required = levelFor(need);
  const isElsewhere = live_only && store.mode === "test";
  const message = isElsewhere
    ? `This exists only in live data. It requires a live key with ${required} permission.`
    : `This requires a key with ${required} permission.`;
  return new Fault("insufficient_permission", message, { required, granted: granted.name });
}

/** Takes a token for each request from the bucket of its key or user. Refuses: rate_limited. */
export function limiter() {
  // One for each key and user seen since startup. They are few, since operators create them.
  const buckets = new Map<string, TokenBucket>();
  return ({ type, id }: Identity, rate: RateLimit, now: number, headers: Record<string, string>): void => {
    let bucket = buckets.get(id);
    if (bucket === undefined) {
      bucket = fullBucket(rate, now);
      buckets.set(id, bucket);
    }
    const taken = takeToken(bucket, rate, now);
    setLimitHeaders(headers, bucket, rate, now);
    if (taken) return;
    const retry_after_seconds = secondsToFull(bucket, rate);
    const limit = `at most ${rate.burst} requests at once, and ${rate.per_minute} per minute`;
    throw new Fault("rate_limited", `${type === "user" ? "You" : "This key"} can send ${limit}.`, {
      retry_after_seconds,
    });
  };
}
