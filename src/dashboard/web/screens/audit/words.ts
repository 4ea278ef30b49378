import { base } from "../../browser/router.ts";
import type { World } from "../../browser/world.ts";
import { auditTexts as texts } from "../../texts/audit.ts";

/** An operation's name as words: `createOrder` as "Create order". */
export function actionWords(action: string): string {
  const known = texts.actions[action];
  if (known !== undefined) return known;
  const words = action.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The further facts of an action, in a short text. */
export function factWords(facts: Readonly<Record<string, unknown>>): string {
  return Object.entries(facts)
    .map(([name, value]) => (Array.isArray(value) ? value.join(", ") : `${name.replaceAll("_", " ")}: ${value}`))
    .join("; ");
}

// The screen of each kind of resource, by the prefix of its id.
const screens: Readonly<Record<string, (id: string) => string>> = {
  ord: (id) => `/orders/${id}`,
  prd: (id) => `/products/${id}`,
  cus: (id) => `/customers/${id}`,
  ret: (id) => `/returns/${id}`,
  lot: (id) => `/lots/${id}`,
  rcv: (id) => `/receipts/${id}`,
  lbl: (id) => `/shipping/labels/${id}`,
  mer: (id) => `/settings/merchants/${id}`,
  whk: (id) => `/settings/webhooks/${id}`,
  key: () => "/settings/keys",
  usr: () => "/settings/users",
  inv: () => "/settings/users?tab=invitations",
};

/** The address of the screen of a resource in its world, or null if it has none. */
export function placeOf(target: string, world: World): string | null {
  const [prefix = "", number] = target.split("_");
  const screen = number !== undefined && /^\d+$/.test(number) ? screens[prefix] : undefined;
  if (screen === undefined) return null;
  const path = screen(target);
  return `${base}${path}${world === "test" ? `${path.includes("?") ? "&" : "?"}world=test` : ""}`;
}
