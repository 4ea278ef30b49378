import type { Permission } from "./permission.ts";

/** What a route needs: a key of at least this level; `none` for routes that prove themselves or hold no secret. */
export type RouteNeed = Permission | "none";

// Every route of the service and what it needs. A route without a row keeps the service from starting.
export const routeNeeds: Readonly<Record<string, RouteNeed>> = {
  "GET /health": "none",

  "GET /products": "read",
  "POST /products": "read_write",
  "POST /products/import": "read_write",
  "GET /products/export.csv": "read",
  "GET /products/:id": "read",
  "PATCH /products/:id": "read_write",

  "GET /inventory": "read",
  "POST /inventory": "read_write",
  "GET /inventory/locations": "read",
  "POST /inventory/locations": "full",
  "PATCH /inventory/locations/:id": "full",
  "GET /inventory/movements": "read",
  "GET /inventory/movements/export.csv": "read",
  "GET /inventory/reservations": "read",
  "GET /inventory/reservations/:id": "read",
  "POST /inventory/reservations/:id/extend": "read_write",
  "POST /inventory/reserve": "read_write",
  "POST /inventory/release": "read_write",
  "GET /inventory/:sku": "read",
  "PATCH /inventory/:sku": "read_write",

  "POST /customers": "read_write",
  "GET /customers": "read",
  "GET /customers/:id": "read",
  "PATCH /customers/:id": "read_write",
  "PUT /customers/:id": "read_write",
  "POST /customers/:id/addresses": "read_write",
  "PATCH /customers/:id/addresses/:address_id": "read_write",
  "DELETE /customers/:id/addresses/:address_id": "read_write",

  "POST /orders": "read_write",
  "GET /orders": "read",
  "GET /orders/transitions": "read",
  "GET /orders/:id": "read",
  "PATCH /orders/:id": "read_write",
  "DELETE /orders/:id": "read_write",
  "GET /orders/:id/history": "read",
  "POST /orders/:id/hold": "read_write",
  "POST /orders/:id/release": "read_write",
  "POST /orders/:id/process": "read_write",
  "POST /orders/:id/pick": "read_write",
  "POST /orders/:id/pack": "read_write",
  "POST /orders/:id/ship": "read_write",
  "POST /orders/:id/deliver": "read_write",

  "POST /shipping/rates": "read",
  "GET /shipping/carriers": "read",
  "POST /shipping/labels": "read_write",
  "GET /shipping/labels/:id": "read",
  "GET /shipping/labels/:id/document": "read",
  "POST /shipping/labels/:id/void": "read_write",
  "GET /labels/:id": "none",

  "GET /tracking/:tracking_number": "read",
  "POST /tracking/batch": "read",
  "POST /tracking/:tracking_number/events": "read_write",

  "POST /returns": "read_write",
  "GET /returns": "read",
  "GET /returns/:id": "read",
  "PATCH /returns/:id": "read_write",
  "POST /returns/:id/receive": "read_write",
  "POST /returns/:id/inspect": "read_write",
  "POST /returns/:id/refund": "read_write",
  "POST /returns/:id/refunds/:refund_id": "read_write",
  "POST /returns/:id/close": "read_write",
  "POST /returns/:id/cancel": "read_write",

  "POST /webhooks": "full",
  "GET /webhooks": "read",
  "GET /webhooks/:id": "read",
  "POST /webhooks/:id/test": "full",
  "GET /webhooks/:id/logs": "read",

  "GET /events": "read",
  "GET /events/:id": "read",
  "GET /event-types": "read",
};
