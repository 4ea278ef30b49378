// Which data the dashboard opens on in a browser that has not chosen any. It stands alone since it needs the session's
// permissions before any screen is drawn.

import { batch, computed, signal } from "@preact/signals";
import type { Permission } from "../../../http/auth/permissions.ts";
import { storedPreference } from "../browser/preferences.ts";
import { navigate, place, type TabEnvironment, tabEnvironment, to } from "../browser/router.ts";
import { callDashboard, get, onWritten, type Params, signedOut } from "./client.ts";
import { type MerchantRecord, merchants } from "./merchants.ts";
import { problemOf } from "./problem.ts";
import { forgetAll } from "./query.ts";

/** The data that the user of this browser chose last; null until they choose. */
export const chosenEnvironment = storedPreference<TabEnvironment | null>(
  "world",
  null,
  (value): value is TabEnvironment | null => value === null || value === "live" || value === "test",
);

const hasOrders = async () => (await get<readonly unknown[]>("/orders", { params: { limit: 1 } })).data.length > 0;

/**
 * Opens the start page on test data when only test data has orders, as after `packhouse demo`. An address that names
 * its data, or another page, is left alone.
 */
async function openEnvironment(permissions: readonly Permission[]): Promise<void> {
  const { path, search } = place.peek();
  const asked = new URLSearchParams(search);
  const is_start = ["/", "/sign-in", "/setup"].includes(path) && !asked.has("world") && !asked.has("back");
  if (!is_start || chosenEnvironment.state.peek() !== null || !permissions.includes("orders.read")) return;
  if (await hasOrders()) return chosenEnvironment.set("live");
  tabEnvironment.value = "test";
  if (!(await hasOrders())) tabEnvironment.value = "live";
  else if (path === "/") navigate(to("/"), { replace: true });
}

/** A merchant, as its people see it. */
type SessionMerchant = Pick<MerchantRecord, "id" | "code" | "name" | "colour">;
type UserMerchant = SessionMerchant & Pick<MerchantRecord, "may_buy_labels" | "status">;

/** As what a user is signed in: as a member of the house or of a merchant. */
interface SessionMembership {
  readonly merchant: SessionMerchant | null;
  readonly role: string;
  readonly status: "active" | "disabled";
}

/** The signed-in user and the permissions of this user. */
interface SignedInSession {
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
  /** The merchant whose records alone are seen; null for people of the house. */
  readonly merchant: UserMerchant | null;
  /** As what the user may sign in. */
  readonly memberships: readonly SessionMembership[];
  /** The merchant as whom a member of the house looks on. */
  readonly view_as: SessionMerchant | null;
  readonly worlds: readonly TabEnvironment[];
  readonly version: string;
}

/** The session: null if nobody is signed in, undefined until that is known. */
export const session = signal<SignedInSession | null | undefined>(undefined);

const granted = computed(() => new Set(session.value?.permissions ?? []));

/** Whether the signed-in user has this permission. Null means that none is needed. */
export function may(permission: Permission | null | undefined): boolean {
  return permission === null || permission === undefined || granted.value.has(permission);
}

/** The merchant whose people are signed in; null for those of the house. */
export const ownMerchant = computed(() => session.value?.merchant ?? null);

/** Whether the people of the house are signed in, who see bins and the work on the floor. */
export const isOperatorUser = computed(() => ownMerchant.value === null);

/**
 * Whether what merchants may do with a permission of the house, such as announcing a delivery, may be done: with the
 * permission in the house, by a merchant's people unless they only look.
 */
export function mayAlso(permission: Permission): boolean {
  const { user, merchant = null, view_as = null } = session.value ?? {};
  return may(permission) || (merchant !== null && view_as === null && user?.role !== "viewer");
}

/** Whether the signed-in user lacks one of these permissions. */
export function lacks(permissions: readonly Permission[]): boolean {
  return permissions.some((permission) => !may(permission));
}

/** Asks the server who is signed in. `besides` happens together with what screens get to know of it. */
export async function readSession(besides: () => void = () => {}): Promise<void> {
  try {
    const { data } = await callDashboard<SignedInSession>("GET", "/session");
    if (!session.peek() && !data.user.second_factor_required) await openEnvironment(data.permissions);
    const known = await readMerchants(data);
    // Screens are drawn once it is known of whom they tell.
    batch(() => {
      merchants.value = known;
      session.value = data;
      signedOut.value = false;
      besides();
    });
  } catch (error) {
    // Only this says that nobody is signed in; a proxy whose server restarts says other things.
    if (problemOf(error).status !== 401) throw error;
    session.value = null;
  }
}

/** Reads the merchants for whom the house works. People of a merchant know of none. */
async function readMerchants({ permissions }: SignedInSession): Promise<readonly MerchantRecord[]> {
  const found: MerchantRecord[] = [];
  let cursor: string | null = null;
  if (permissions.includes("merchants.read")) {
    do {
      const params: Params = { limit: 100, cursor };
      const { data, pagination } = await get<readonly MerchantRecord[]>("/merchants", { params, merchant: null });
      found.push(...data);
      cursor = pagination?.next_cursor ?? null;
    } while (cursor !== null);
  }
  return found.sort((one, other) => one.code.localeCompare(other.code));
}

/** Asks the server again who is signed in and which merchants there are, because something of that has changed. */
export function readSessionAgain(): void {
  if (session.peek()) void readSession().catch(() => {});
}

onWritten((path) => path.startsWith("/merchants") && readSessionAgain());

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
