import { computed, signal } from "@preact/signals";
import type { Permission } from "../../../access/permission.ts";
import type { World } from "../browser/world.ts";
import { callDashboard, signedOut } from "./client.ts";
import { problemOf } from "./problem.ts";
import { forgetAll } from "./query.ts";

/** The signed-in user and the permissions of this user. */
interface Session {
  readonly user: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly role: string;
    readonly second_factor: boolean;
    /** The user must set up a second factor before doing anything else. */
    readonly second_factor_required: boolean;
  };
  readonly permissions: readonly Permission[];
  readonly worlds: readonly World[];
  readonly version: string;
}

/** The session: null if nobody is signed in, undefined until that is known. */
export const session = signal<Session | null | undefined>(undefined);

const granted = computed(() => new Set(session.value?.permissions ?? []));

/** Whether the signed-in user has this permission. Null means that none is needed. */
export function may(permission: Permission | null | undefined): boolean {
  return permission === null || permission === undefined || granted.value.has(permission);
}

/** Whether the signed-in user lacks one of these permissions. */
export function lacks(permissions: readonly Permission[]): boolean {
  return permissions.some((permission) => !may(permission));
}

/** Asks the server who is signed in. */
export async function readSession(): Promise<void> {
  try {
    const { data } = await callDashboard<Session>("GET", "/session");
    session.value = data;
    signedOut.value = false;
  } catch (error) {
    if (problemOf(error).status === 0) throw error;
    session.value = null;
  }
}

/** Signs in. Throws the error of the API if it refuses. */
export function signIn(given: Readonly<Record<string, string>>): Promise<void> {
  return enterBy("/session", given);
}

/** Signs in another way, such as by an invitation. Throws the error of the API if it refuses. */
export async function enterBy(way: string, given: Readonly<Record<string, unknown>>): Promise<void> {
  await callDashboard("POST", way, given);
  forgetAll();
  await readSession();
}

/** Signs out in this browser only. */
export async function signOut(): Promise<void> {
  await callDashboard("DELETE", "/session");
  forgetAll();
  session.value = null;
}
