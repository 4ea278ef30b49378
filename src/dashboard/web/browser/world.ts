import { signal } from "@preact/signals";

/** Live and test data are two stores; which one a tab shows stands in its address, so that a link leads to the same. */
export type World = "live" | "test";

const fromAddress = (): World => (new URLSearchParams(location.search).get("world") === "test" ? "test" : "live");

/** The world that this tab shows. */
export const world = signal<World>(fromAddress());

/** Reads the world from the address anew, after the address has changed. */
export function readWorld(): void {
  world.value = fromAddress();
}
