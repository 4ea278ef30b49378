// Stands alone because it loads every route: builds the OpenAPI document of `packhouse openapi` without a server.

import type { Service } from "../http/service.ts";
import { createApp } from "../server/app.ts";
import { describeRoutes } from "../server/openapi/description.ts";
import type { Store } from "../storage/database.ts";

/** The OpenAPI document as JSON text, as a server at `base_url` would serve it. Opens no data. */
export function describeApi(base_url: string): string {
  // Handlers are created but never called, so stores need only the methods that handlers call when they are created.
  const absent = { onWake: () => {}, onChange: () => {} } as unknown as Store;
  const service: Pick<Service, "stores" | "secret_key" | "base_url" | "authority" | "observers"> = {
    stores: { live: absent, test: absent },
    secret_key: new Uint8Array(32),
    base_url,
    authority: null,
    observers: [],
  };
  return JSON.stringify(describeRoutes(createApp(service as Service).routes, base_url), null, 2);
}
