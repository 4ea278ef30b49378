// The API's description without a running service: for `packhouse openapi`.

import type { Service } from "../http/service.ts";
import { createApp } from "../server/app.ts";
import { describeRoutes } from "../server/openapi/description.ts";
import type { Store } from "../storage/database.ts";

/** The OpenAPI document as a service with this address would serve it, as text. No data is opened, nothing is asked. */
export function describeApi(base_url: string): string {
  // Handlers are created but never called: they need only the names of their stores and a subscription to events.
  const absent = { onWake: () => {}, onChange: () => {} } as unknown as Store;
  const service: Pick<Service, "stores" | "secret_key" | "base_url" | "authority" | "witnesses"> = {
    stores: { live: absent, test: absent },
    secret_key: new Uint8Array(32),
    base_url,
    authority: null,
    witnesses: [],
  };
  return JSON.stringify(describeRoutes(createApp(service as Service).routes, base_url), null, 2);
}
