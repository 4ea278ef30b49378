import { iso, isoOrNull } from "../kit/clock.ts";
import { wireId } from "../kit/ids.ts";
import { type MerchantsById, membershipView } from "./membership.ts";
import type { User } from "./user.ts";

/** A user as the API shows him. */
export function userView({ id, email, name, role, status, ...user }: User, merchants: MerchantsById) {
  return {
    id: wireId("user", id),
    email,
    name,
    role,
    status,
    memberships: user.memberships.map((one) => membershipView(one, merchants)),
    second_factor: user.has_factor,
    last_sign_in_at: isoOrNull(user.last_sign_in_at),
    last_seen_at: isoOrNull(user.last_seen_at ?? user.last_sign_in_at),
    created_at: iso(user.created_at),
    updated_at: iso(user.updated_at),
    version: user.version,
  };
}
