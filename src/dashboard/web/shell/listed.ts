import { may, mayAlso, seesHouse } from "../api/session.ts";
import type { Screen, Section } from "../kit/screen.ts";

/** All screens, of which the first with a matching path is shown, and the sections in order. */
export interface Listed {
  readonly screens: readonly Screen[];
  readonly sections: readonly Section[];
}

/** The screens and sections that `list` was given; empty before. */
export let listed: Listed = { screens: [], sections: [] };

/** Sets the screens and sections. */
export function list(all: Listed): void {
  listed = all;
}

/** Whether who is signed in may see a screen. */
export function maySee({ permission, house, also }: Screen): boolean {
  if (house && !seesHouse.value) return false;
  return also && permission !== null ? mayAlso(permission) : may(permission);
}
