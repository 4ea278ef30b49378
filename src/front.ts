import { Elysia } from "elysia";
import { withConventions } from "./http/conventions.ts";
import { guard } from "./http/guard/guard.ts";
import { RouteTable } from "./http/guard/route_table.ts";
import { routesOf } from "./http/route.ts";
import type { Service } from "./http/service.ts";
import { keyAuthenticator, withoutKey } from "./keys/authenticator.ts";
import { scopes } from "./merchants/scopes.ts";
import { operationRoutes } from "./operations/routes.ts";
import { sessionAuthenticator } from "./users/sessions/authenticator.ts";

/** The ways in which a request shows who asks. */
const authenticators = (service: Service) => ({
  ways: [keyAuthenticator(service), sessionAuthenticator(service)],
  nobody: withoutKey,
});

/** An app with the conventions of every request, `/health` and `/metrics`. Whoever mounts the rest fills the table. */
export function beginApp(service: Service, table: RouteTable) {
  // Elysia looks for the path behind seven letters, or eleven: `https://` alone has eight (see `located`).
  const handler = { standardHostname: service.tls };
  return new Elysia({ normalize: false, strictPath: true, handler })
    .use(withConventions(service, guard(service, authenticators(service), table, scopes)))
    .use(operationRoutes(service));
}

/** The app that answers `/health` until the features are loaded. */
export function createFront(service: Service) {
  const table = new RouteTable();
  const app = beginApp(service, table);
  table.fill(routesOf(app.routes));
  return app;
}
