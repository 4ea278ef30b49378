import type { ComponentType } from "preact";
import type { Permission } from "../../../http/auth/permissions.ts";
import { isOperatorUser, may, mayAlso } from "../api/session.ts";
import { matchPath, to } from "../browser/router.ts";
import type { IconName } from "./icon.tsx";

/** A link to the list that a screen belongs to. */
export interface BackLink {
  readonly href: string;
  readonly title: string;
}

/** What a screen gets. */
export interface ScreenProps {
  /** The parameters of its path. */
  readonly params: Readonly<Record<string, string>>;
  /** The title under which it is registered. */
  readonly title: string;
  readonly back: BackLink | undefined;
}

/** A section of the navigation. Its screens are listed below it while one of them is shown. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly icon: IconName;
  /** In the bottom bar of a phone; the other sections are under "More". */
  readonly phone?: true;
  /** At the bottom of the navigation. */
  readonly foot?: true;
}

type ScreenName = `${string}Screen`;
type ScreenFile = Readonly<Record<ScreenName, ComponentType<ScreenProps>>>;

/** One screen. */
export interface Screen {
  /** The path below /dashboard, such as `/orders/:id`. */
  readonly path: string;
  readonly section: string;
  readonly title: string;
  /** The permission that the screen needs; null for every signed-in user. */
  readonly permission: Permission | null;
  /** Shown to operator users only, whatever permissions merchant users have. */
  readonly operator_only?: true;
  /** Merchant users may use it for their own records without the permission that operator users need. */
  readonly or_merchant?: true;
  /** Where the screen is listed: in the navigation and the palette, only in the palette, or nowhere. */
  readonly listed: "nav" | "palette" | "";
  /** The second key of its shortcut: `o` for `g o`. */
  readonly key?: string;
  /** Shown without a session and without the navigation. */
  readonly open?: true;
  readonly load: () => Promise<ScreenFile>;
  /** The name of its export. By default its file exports one screen. */
  readonly name?: ScreenName;
}

/** All screens and the sections in order. The first screen whose path matches is shown. */
export interface Listed {
  readonly screens: readonly Screen[];
  readonly sections: readonly Section[];
}

/** The screens and sections passed to `list`; empty before. */
export let listed: Listed = { screens: [], sections: [] };

/** Sets the screens and sections. */
export function list(all: Listed): void {
  listed = all;
}

/** The link from `/orders/ord_7` to `/orders`: to the screen with the longest beginning of the path. */
export function backFrom(path: string): BackLink | undefined {
  const above = path.slice(0, path.lastIndexOf("/"));
  const screen = listed.screens.find((one) => matchPath(one.path, above) !== null);
  if (screen !== undefined) return { href: to(above), title: screen.title };
  return above === "" ? undefined : backFrom(above);
}

/** Whether the signed-in user may see a screen. */
export function maySee({ permission, operator_only, or_merchant }: Screen): boolean {
  if (operator_only && !isOperatorUser.value) return false;
  return or_merchant && permission !== null ? mayAlso(permission) : may(permission);
}

const isScreenName = (name: string): name is ScreenName => name.endsWith("Screen");

/** Loads the file of a screen, and returns the component that shows it. */
export async function loadScreen({ path, load, name }: Screen): Promise<ComponentType<ScreenProps>> {
  const file = await load();
  const found = file[name ?? Object.keys(file).find(isScreenName) ?? "Screen"];
  if (found === undefined) throw new Error(`no screen for ${path}`);
  return found;
}
