import { computed, signal } from "@preact/signals";
import type { Permission } from "../../../access/permission.ts";
import type { World } from "../browser/world.ts";
import { callDashboard, signedOut } from "./client.ts";
import { problemOf } from "./problem.ts";
import { forgetAll } from "./query.ts";

/** Who is signed in, and what he may do. */
interface Session {
  readonly user: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly role: string;
    readonly second_factor: boolean;
    /** He has to set one up before he may do anything else. */
    readonly second_factor_required: boolean;
  };
  readonly permissions: readonly Permission[];
  readonly worlds: readonly World[];
  readonly version: string;
}

/** The session: `null` when nobody is signed in, undefined until that is known. */
export const session = signal<Session | null | undefined>(undefined);

const granted = computed(() => new Set(session.value?.permissions ?? []));

/** Whether who is signed in may do this; everybody may what needs no permission. */
export function may(permission: Permission | null | undefined): boolean {
  return permission === null || permission === undefined || granted.value.has(permission);
}

/** Whether somebody who may do all of this may do more than who is signed in. */
export function lacks(permissions: readonly Permission[]): boolean {
  return permissions.some((permission) => !may(permission));
}

/** Asks the server who this is. */
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

/** Signs in; refused by the API's own words. */
export function signIn(given: Readonly<Record<string, string>>): Promise<void> {
  return enterBy("/session", given);
}

/** Signs in by one of the ways there are, such as an invitation; refused by the API's own words. */
export async function enterBy(way: string, given: Readonly<Record<string, unknown>>): Promise<void> {
  await callDashboard("POST", way, given);
  forgetAll();
  await readSession();
}

/** Signs out, here alone. */
export async function signOut(): Promise<void> {
  await callDashboard("DELETE", "/session");
  forgetAll();
  session.value = null;
}
