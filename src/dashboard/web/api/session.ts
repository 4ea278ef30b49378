// The signed-in user, and the environment that the dashboard opens in.

import { batch, computed, signal } from "@preact/signals";
import type { Permission } from "../../../http/auth/permissions.ts";
import { closeSettings, openSettings, storedPreference } from "../browser/preferences.ts";
import { navigate, place, type TabEnvironment, tabEnvironment, to } from "../browser/router.ts";
import { callDashboard, get, onWritten, type Params, signedOut } from "./client.ts";
import { type MerchantRecord, merchants } from "./merchants.ts";
import { problemOf } from "./problem.ts";
import { forgetAll } from "./query.ts";

/** The environment that the user last chose in this browser; null before the first choice. */
export const chosenEnvironment = storedPreference<TabEnvironment | null>(
  "mode",
  null,
  (value): value is TabEnvironment | null => value === null || value === "live" || value === "test",
);

const hasOrders = async () => (await get<readonly unknown[]>("/orders", { params: { limit: 1 } })).data.length > 0;

/**
 * Opens the start page in test mode if only test data has orders, as after `packhouse demo`. Does nothing on other
 * pages or if the address names the environment.
 */
async function openEnvironment(permissions: readonly Permission[]): Promise<void> {
  const { path, search } = place.peek();
  const params = new URLSearchParams(search);
  const is_start = ["/", "/sign-in", "/setup"].includes(path) && !params.has("mode") && !params.has("back");
  if (!is_start || chosenEnvironment.state.peek() !== null || !permissions.includes("orders.read")) return;
  if (await hasOrders()) return chosenEnvironment.set("live");
  tabEnvironment.value = "test";
  if (!(await hasOrders())) tabEnvironment.value = "live";
  else if (path === "/") navigate(to("/"), { replace: true });
}

/** A merchant, as its users see it. */
type SessionMerchant = Pick<MerchantRecord, "id" | "code" | "name" | "color">;
type UserMerchant = SessionMerchant & Pick<MerchantRecord, "may_buy_labels" | "status">;

/** A user's membership of the operator or of a merchant. */
interface SessionMembership {
  readonly merchant: SessionMerchant | null;
  readonly role: string;
  readonly status: "active" | "disabled";
}

/** The signed-in user and their permissions. */
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
  /** The merchant that the user's view is limited to; null for operator users. */
  readonly merchant: UserMerchant | null;
  /** All memberships of the user. */
  readonly memberships: readonly SessionMembership[];
  /** The merchant that an operator user views as. */
  readonly view_as: SessionMerchant | null;
  /** The device of a session by badge; null for one with a password. */
  readonly device: { readonly id: string; readonly name: string; readonly warehouse_id: string } | null;
  readonly modes: readonly TabEnvironment[];
  readonly version: string;
}

/** The session: null if nobody is signed in, undefined until that is known. */
export const session = signal<SignedInSession | null | undefined>(undefined);

const granted = computed(() => new Set(session.value?.permissions ?? []));

/** Whether the signed-in user has this permission. Null means that none is needed. */
export function may(permission: Permission | null | undefined): boolean {
  return permission === null || permission === undefined || granted.value.has(permission);
}

/** The merchant of the signed-in user; null for operator users. */
export const ownMerchant = computed(() => session.value?.merchant ?? null);

/** Whether the signed-in user belongs to the operator, and so sees bins and floor work. */
export const isOperatorUser = computed(() => ownMerchant.value === null);

/**
 * Whether the user may do something that merchant users may do too, such as announcing a delivery. Operator users need
 * the permission; merchant users only need not be read-only.
 */
export function mayAlso(permission: Permission): boolean {
  const { user, merchant = null, view_as = null } = session.value ?? {};
  return may(permission) || (merchant !== null && view_as === null && user?.role !== "viewer");
}

/** Whether the signed-in user lacks one of these permissions. */
export function lacks(permissions: readonly Permission[]): boolean {
  return permissions.some((permission) => !may(permission));
}

/** Reads the session from the server. `beforeRender` runs in the same batch, before screens render. */
export async function readSession(beforeRender: () => void = () => {}): Promise<void> {
  try {
    const { data } = await callDashboard<SignedInSession>("GET", "/session");
    openSettings(data.user.id, data.merchant?.id ?? null);
    if (!session.peek() && !data.user.second_factor_required) await openEnvironment(data.permissions);
    const known = await readMerchants(data);
    // Screens render once the merchants are known.
    batch(() => {
      merchants.value = known;
      session.value = data;
      signedOut.value = false;
      beforeRender();
    });
  } catch (error) {
    // Only 401 means signed out; a proxy returns other errors while the server restarts.
    if (problemOf(error).status !== 401) throw error;
    session.value = null;
  }
}

/** Reads the operator's merchants. Empty for merchant users. */
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

/** Reloads the session and the merchants after a change. */
export function readSessionAgain(): void {
  if (session.peek()) void readSession().catch(() => {});
}

onWritten((path) => path.startsWith("/merchants") && readSessionAgain());

/** Signs in. Throws the error of the API if it refuses. */
export function signIn(credentials: Readonly<Record<string, string>>): Promise<void> {
  return enterBy("/session", credentials);
}

/** Signs in another way, such as by an invitation. Throws the error of the API if it refuses. */
export async function enterBy(way: string, body: Readonly<Record<string, unknown>>): Promise<void> {
  await callDashboard("POST", way, body);
  forgetAll();
  await readSession();
}

/** Signs out in this browser only. */
export async function signOut(): Promise<void> {
  await callDashboard("DELETE", "/session");
  forgetAll();
  closeSettings();
  session.value = null;
}
