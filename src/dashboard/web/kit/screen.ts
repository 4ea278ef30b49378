import type { ComponentType } from "preact";
import type { Permission } from "../../../access/permission.ts";
import type { IconName } from "./icon.tsx";

/** What a screen is given: the parameters of its path. */
export interface ScreenProps {
  readonly params: Readonly<Record<string, string>>;
}

/** A part of the navigation; its screens are listed below it while one of them is shown. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly icon: IconName;
  /** In the bar at the bottom of a phone; the others are behind "More". */
  readonly phone?: true;
  /** Stands at the foot of the navigation. */
  readonly foot?: true;
}

/** One screen. */
export interface Screen {
  /** Below /dashboard, with parameters as in `/orders/:id`. */
  readonly path: string;
  readonly section: string;
  readonly title: string;
  /** The permission without which it is neither listed nor shown; null for everybody who is signed in. */
  readonly permission: Permission | null;
  /** Where it can be chosen: in the navigation (and the palette), in the palette alone, or nowhere. */
  readonly listed: "nav" | "palette" | "no";
  /** `o` for `g o`. */
  readonly key?: string;
  /** Shown without signing in, and without the navigation. */
  readonly open?: true;
  readonly load: () => Promise<ComponentType<ScreenProps>>;
}
