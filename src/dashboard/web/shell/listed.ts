import type { Screen, Section } from "../kit/screen.ts";

/** What can be shown: all screens, the first whose path fits is meant, and the navigation in its order. */
export interface Listed {
  readonly screens: readonly Screen[];
  readonly sections: readonly Section[];
}

/** What the start handed in; nothing before. */
export let listed: Listed = { screens: [], sections: [] };

/** Hands in what can be shown. */
export function list(all: Listed): void {
  listed = all;
}
