import type { ComponentType } from "preact";
import type { Permission } from "../../../http/auth/permissions.ts";
import { isOperatorUser, may, mayAlso } from "../api/session.ts";
import { backTo, matchPath, to } from "../browser/router.ts";
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
  /** Groups of screens, which the navigation lists instead of the screens. */
  readonly groups?: readonly ScreenGroup[];
}

/** A group of screens with a page of its own, which shows a card for each. */
export interface ScreenGroup {
  readonly id: string;
  /** The path of its page. */
  readonly path: string;
  readonly title: string;
  readonly line: string;
  readonly icon: IconName;
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
  /** Where the screen is listed: in the navigation and the palette, in its group and the palette, or nowhere. */
  readonly listed: "nav" | "palette" | "";
  /** The group that has a card for the screen. */
  readonly group?: string;
  /** What the screen is for, on its card. */
  readonly line?: string;
  /** More words that find the screen in a search, besides its title and line. */
  readonly keywords?: readonly string[];
  /** The second key of its shortcut: `o` for `g o`. */
  readonly key?: string;
  /** Shown without a session and without the navigation. */
  readonly open?: true;
  /** Shown without the navigation and the shortcuts of the office. */
  readonly full_screen?: true;
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

/** The group of a screen. Those for the operator's own work are one group, `account`, for merchant users. */
function groupIdOf({ group }: Screen): string | undefined {
  return group === undefined || isOperatorUser.value || group === "developers" ? group : "account";
}

/** The screens of a group that the signed-in user may open. */
export const screensOf = ({ id }: ScreenGroup): readonly Screen[] =>
  listed.screens.filter((screen) => groupIdOf(screen) === id && maySee(screen));

/** The groups of a section with a screen that the signed-in user may open. */
export const groupsOf = ({ groups = [] }: Section): readonly ScreenGroup[] =>
  groups.filter((group) => screensOf(group).length > 0);

/** The group of a screen, if it has one. */
export function groupOf(screen: Screen): ScreenGroup | undefined {
  const id = groupIdOf(screen);
  return listed.sections.flatMap(({ groups = [] }) => groups).find((group) => group.id === id);
}

/** The group of the screen at a path or of the list above it, such as `/settings/keys` for `/settings/keys/key_7`. */
export function groupAt(path: string): ScreenGroup | undefined {
  const screen = listed.screens.find((one) => one.group !== undefined && `${path}/`.startsWith(`${one.path}/`));
  return screen && groupOf(screen);
}

/** The link from a screen in a group to the page of the group. */
export function backToGroup(path: string): BackLink | undefined {
  const screen = listed.screens.find((one) => one.path === path);
  const group = screen && groupOf(screen);
  return group && { href: to(group.path), title: group.title };
}

/** The link from a screen to its group, or from `/orders/ord_7` to `/orders`, the longest path above with a screen. */
export function backFrom(path: string): BackLink | undefined {
  return backToGroup(path) ?? backAbove(path);
}

function backAbove(path: string): BackLink | undefined {
  const above = path.slice(0, path.lastIndexOf("/"));
  const screen = listed.screens.find((one) => matchPath(one.path, above) !== null);
  if (screen !== undefined) return { href: backTo(above), title: screen.title };
  return above === "" ? undefined : backAbove(above);
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
