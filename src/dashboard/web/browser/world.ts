import { signal } from "@preact/signals";

/** Live and test data are two stores. The address names the one that a tab shows, so links keep it. */
export type World = "live" | "test";

const fromAddress = (): World => (new URLSearchParams(location.search).get("world") === "test" ? "test" : "live");

/** The world that this tab shows. */
export const world = signal<World>(fromAddress());

/** Reads the world again after the address has changed. */
export function readWorld(): void {
  world.value = fromAddress();
}
