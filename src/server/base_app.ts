import { Elysia } from "elysia";
import { RouteTable } from "../http/auth/route_table.ts";
import { withConventions } from "../http/conventions.ts";
import { routesOf } from "../http/route.ts";
import type { Service } from "../http/service.ts";
import { keyAuthenticator, withoutKey } from "../identity/api_keys/authenticate_key.ts";
import { sessionAuthenticator } from "../identity/sessions/authenticate_session.ts";
import { scopes } from "../merchants/tenant_scopes.ts";
import { operationRoutes } from "../operations/health/health.routes.ts";
import { guard } from "./guard.ts";

/** The ways in which a request shows who asks. */
const authenticators = (service: Service) => ({
  ways: [keyAuthenticator(service), sessionAuthenticator(service)],
  nobody: withoutKey,
});

/** An app with the conventions of every request, `/health` and `/metrics`. Whoever mounts the rest fills the table. */
export function createBaseApp(service: Service, table: RouteTable) {
  // Elysia looks for the path behind seven letters, or eleven: `https://` alone has eight (see `located`).
  const handler = { standardHostname: service.tls };
  return new Elysia({ normalize: false, strictPath: true, handler })
    .use(withConventions(service, guard(service, authenticators(service), table, scopes)))
    .use(operationRoutes(service));
}

/** The app that answers `/health` until the features are loaded. */
export function createHealthApp(service: Service) {
  const table = new RouteTable();
  const app = createBaseApp(service, table);
  table.fill(routesOf(app.routes));
  return app;
}
