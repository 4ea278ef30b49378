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
