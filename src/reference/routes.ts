import { createHash } from "node:crypto";
import type { TObject, TSchema } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { version } from "../config.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { deprecations } from "../http/deprecations.ts";
import { MetaView, PaginationView } from "../http/envelope.ts";
import { isKnown } from "../http/preconditions.ts";
import { documented } from "../http/route.ts";
import type { Service } from "../http/service.ts";
import { routeNeeds } from "../keys/permissions.ts";
import { faultWords } from "../kit/fault_words.ts";
import { openApiDocument } from "./document.ts";
import type { Examples } from "./example.ts";
import recorded from "./examples.json" with { type: "json" };
import type { Operation } from "./operation.ts";

/** One route as the framework knows it. */
export interface AppRoute {
  readonly method: string;
  readonly path: string;
  readonly hooks: { readonly detail?: unknown; readonly body?: unknown; readonly query?: unknown };
}

interface Noted {
  readonly operationId?: string;
  readonly summary: string;
  readonly description?: string;
  readonly answers: Operation["answers"];
  readonly documents: Operation["documents"];
  readonly refuses: Operation["refuses"];
  readonly sends: string;
  readonly matches: boolean;
  readonly tagged: boolean;
}

const schemaOf = <Schema extends TSchema>(checked: unknown) =>
  (checked as { schema?: Schema } | undefined)?.schema ?? null;

/** The routes of an app that have notes, as operations, each once and in the order of the app. */
export function operationsOf(routes: readonly AppRoute[]): Operation[] {
  const operations = new Map<string, Operation>();
  for (const { method, path, hooks } of routes) {
    const below = path.replace(/^(?:\/api)?\/v1(?=\/)/, "");
    const route = `${method} ${below}`;
    const notes = hooks.detail as Noted | undefined;
    if (operations.has(route) || notes?.operationId === undefined) continue;
    const { operationId: id, summary, description = null, answers, documents, refuses, sends, matches, tagged } = notes;
    operations.set(route, {
      ...{ id, summary, description, answers, documents, refuses, sends, matches, tagged },
      method: method.toLowerCase() as Operation["method"],
      path: below.replace(/:(\w+)/g, "{$1}"),
      versioned: below !== path,
      need: routeNeeds[route] ?? "none",
      body: schemaOf(hooks.body),
      query: schemaOf<TObject>(hooks.query),
      deprecated: route in deprecations,
    });
  }
  return [...operations.values()];
}

/** The OpenAPI document of an app's routes. */
export function describeRoutes(routes: readonly AppRoute[], base_url: string) {
  return openApiDocument(operationsOf(routes), {
    version,
    base_url,
    examples: recorded as Examples,
    schemas: { Meta: MetaView, Pagination: PaginationView },
    meaning: (code) => faultWords[code].when,
  });
}

/** What is asked for by a client that can unpack it. */
interface Text {
  readonly text: string;
  readonly packed: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

const textOf = (text: string): Text => ({
  text,
  packed: Bun.gzipSync(text),
  // A weak tag, for it stands for the packed form as well.
  etag: `W/"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`,
});

function answerText(call: Call, { text, packed, etag }: Text, type: string): Response {
  const headers = {
    "x-request-id": call.request_id,
    ...call.headers,
    etag,
    vary: "Accept-Encoding",
    "cache-control": "no-cache",
  };
  if (isKnown(call, etag.slice(2))) return new Response(null, { status: 304, headers });
  const gzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))/.test(call.request.headers.get("accept-encoding") ?? "");
  const body = gzip ? packed : text;
  return new Response(body, {
    headers: { ...headers, "content-type": type, ...(gzip ? { "content-encoding": "gzip" } : {}) },
  });
}

/** The API's own description. `routes` are those of the whole app, once it is complete. */
export function referenceRoutes(service: Service, routes: readonly AppRoute[]) {
  let document: Text | undefined;
  const open = () => {
    document ??= textOf(JSON.stringify(describeRoutes(routes, service.base_url)));
    return document;
  };
  return new Elysia()
    .use(conventions)
    .get("/openapi.json", ({ call }) => answerText(call, open(), "application/json"), {
      detail: documented({
        id: "getOpenApi",
        summary: "This document",
        answers: { 200: Type.Record(Type.String(), Type.Unknown()) },
      }),
    });
}
