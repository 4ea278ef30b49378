import type { Permission } from "../access/permission.ts";
import type { Role } from "../access/role.ts";
import type { Membership } from "./membership.ts";
import type { UserStatus } from "./status.ts";

/** A person who may sign in. */
export interface User {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  /** Null until a password was chosen. */
  readonly password_hash: string | null;
  /** In the scope of one merchant: whether the user may sign in as its member. */
  readonly status: UserStatus;
  /** That of the first membership. */
  readonly role: Role;
  /** What the role may do. */
  readonly permissions: readonly Permission[];
  /** Those that the scope sees: that of the house first, then by merchant. There is one at least. */
  readonly memberships: readonly Membership[];
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_sign_in_at: number | null;
  /** When a session of the user was last used, to five minutes; null without a session. */
  readonly last_seen_at: number | null;
  /** Whether a second factor is set up. */
  readonly has_factor: boolean;
  /** Raised by each change of the user. */
  readonly version: number;
}

/** An e-mail address in the form in which addresses are compared: without its case. */
export const emailKey = (email: string): string => email.toLowerCase();
