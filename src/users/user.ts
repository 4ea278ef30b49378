import type { Permission } from "../access/permission.ts";
import type { Role } from "../access/role.ts";
import type { UserStatus } from "./status.ts";

/** A person who may sign in. */
export interface User {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  /** Null until a password was chosen. */
  readonly password_hash: string | null;
  readonly status: UserStatus;
  readonly role: Role;
  /** What the role may do. */
  readonly permissions: readonly Permission[];
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_sign_in_at: number | null;
  /** When one of his sessions was used, to five minutes; null where he is signed in nowhere. */
  readonly last_seen_at: number | null;
  /** Whether a second factor of his is set up. */
  readonly has_factor: boolean;
  /** Raised by each decision about the user. */
  readonly version: number;
}

/** An e-mail address as it is compared: its case does not count. */
export const emailKey = (email: string): string => email.toLowerCase();
