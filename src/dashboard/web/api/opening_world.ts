// Which data the dashboard opens on in a browser that has not chosen any. It stands alone since it needs the session's
// permissions before any screen is drawn.
import type { Permission } from "../../../access/permission.ts";
import { navigate, place, to } from "../browser/router.ts";
import { kept } from "../browser/storage.ts";
import { type World, world } from "../browser/world.ts";
import { get } from "./client.ts";

/** The data that the user of this browser chose last; null until they choose. */
export const chosenWorld = kept<World | null>(
  "world",
  null,
  (value): value is World | null => value === null || value === "live" || value === "test",
);

const hasOrders = async () => (await get<readonly unknown[]>("/orders", { params: { limit: 1 } })).data.length > 0;

/**
 * Opens the start page on test data when only test data has orders, as after `packhouse demo`. An address that names
 * its data, or another page, is left alone.
 */
export async function openWorld(permissions: readonly Permission[]): Promise<void> {
  const { path, search } = place.peek();
  const asked = new URLSearchParams(search);
  const is_start = ["/", "/sign-in", "/setup"].includes(path) && !asked.has("world") && !asked.has("back");
  if (!is_start || chosenWorld.state.peek() !== null || !permissions.includes("orders.read")) return;
  if (await hasOrders()) return chosenWorld.set("live");
  world.value = "test";
  if (!(await hasOrders())) world.value = "live";
  else if (path === "/") navigate(to("/"), { replace: true });
}
