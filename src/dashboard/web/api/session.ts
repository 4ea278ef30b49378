import { computed, signal } from "@preact/signals";
import type { Permission } from "../../../access/permission.ts";
import { callDashboard, signedOut } from "./client.ts";
import { problemOf } from "./problem.ts";
import { forgetAll } from "./query.ts";
import type { World } from "./world.ts";

/** Who is signed in, and what he may do. */
export interface Session {
  readonly user: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly role: string;
    readonly second_factor?: boolean;
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
export async function signIn(given: Readonly<Record<string, string>>): Promise<void> {
  await callDashboard("POST", "/session", given);
  forgetAll();
  await readSession();
}

/** Signs out, here alone. */
export async function signOut(): Promise<void> {
  await callDashboard("DELETE", "/session");
  forgetAll();
  session.value = null;
}
