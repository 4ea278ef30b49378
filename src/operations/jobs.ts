import type { Store } from "../database/store.ts";
import type { Depth } from "../database/whole_check.ts";
import type { Service } from "../http/service.ts";

/** Looks for damage in each page of a store's database. Throws as `lookFor` says. */
export const checkPages = (store: Store, service: Service) => lookFor("pages", store, service);

/** As `checkPages`, and looks up each row in each index. */
export const checkIndexes = (store: Store, service: Service) => lookFor("indexes", store, service);

/**
 * Throws, with what to do, when there is damage: `GET /health` fails from then on, and the next start looks through
 * both databases before it serves.
 */
async function lookFor(depth: Depth, store: Store, service: Service): Promise<void> {
  const damage = await store.findDamage(depth, service.ending);
  if (damage === null) return;
  const advice =
    "Stop the service, keep a copy of the data folder, and restore the last backup from before the damage.";
  throw new Error(`The ${store.mode} database is damaged (${damage}). ${advice}`);
}
