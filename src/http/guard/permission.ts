import { levelFor, permissions } from "../../access/permission.ts";
import { Fault } from "../../kit/fault.ts";
import type { Route } from "../route.ts";
import type { Identity } from "./authentication.ts";

type Asked = Pick<Route, "need" | "live_only">;

/** Whether a key or user has the permission that a route needs. */
export function mayDo({ type, granted, store }: Identity, { need, live_only }: Asked): boolean {
  if (need === "any") return true;
  if (need === "user") return type === "user";
  if (live_only && type === "api_key" && store.mode === "test") return false;
  return need !== "none" && granted.permissions.has(need);
}

/** The refusal of a request without the permission that its route needs. */
export function insufficient({ granted, store }: Identity, { need, live_only }: Asked): Fault {
  if (need === "none" || need === "any" || need === "user") {
    return new Fault("insufficient_permission", "This is for a user who is signed in, not for an API key.", {
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
    const message = `Your role ${granted.name} may not do this: ${permissions[need].toLowerCase()} (${need}).`;
    return new Fault("insufficient_permission", message, { permission: need, role: granted.name });
  }
  const required = levelFor(need);
  const isElsewhere = live_only && store.mode === "test";
  const message = isElsewhere
    ? `This exists only in the live world. It needs a live key with permission ${required}.`
    : `This needs a key with permission ${required}.`;
  return new Fault("insufficient_permission", message, { required, granted: granted.name });
}
