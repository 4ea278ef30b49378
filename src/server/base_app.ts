// Stands alone so that `/health` works before the features are loaded.
import { Elysia } from "elysia";
import { withConventions } from "../http/request_pipeline.ts";
import { routesOf } from "../http/route.ts";
import { RouteTable } from "../http/routes.ts";
import type { Service } from "../http/service.ts";
import { operationRoutes } from "../operations/health/health.routes.ts";
import { guard } from "./guard.ts";

/** An app with the conventions of every request, `/health` and `/metrics`. The caller fills `table` with all routes. */
export function createBaseApp(service: Service, table: RouteTable) {
  // Elysia looks for the path from the 8th or the 12th character of the URL; `https://` has 8 (see `withAbsoluteUrl`).
  const handler = { standardHostname: service.tls };
  return new Elysia({ normalize: false, strictPath: true, handler })
    .use(withConventions(service, guard(service, table)))
    .use(operationRoutes(service));
}

/** An app with only `/health` and `/metrics`, used until the features are loaded. */
export function createHealthApp(service: Service) {
  const table = new RouteTable();
  const app = createBaseApp(service, table);
  table.fill(routesOf(app.routes));
  return app;
}
