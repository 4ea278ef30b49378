import { createHash } from "node:crypto";
import type { TObject, TSchema } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { version } from "../config.ts";
import type { Call } from "../http/call.ts";
import { chapters } from "../http/chapters.ts";
import { conventions } from "../http/conventions.ts";
import { MetaView, PaginationView } from "../http/envelope.ts";
import { bodyKinds } from "../http/input.ts";
import { originOf } from "../http/origin.ts";
import { isKnown } from "../http/preconditions.ts";
import { type AppRoute, belowVersion, documented, isLiveOnly, saidBy, unlisted } from "../http/route.ts";
import type { Service } from "../http/service.ts";
import { readAccept, wishFor } from "../kit/accept.ts";
import { faultWords } from "../kit/fault_words.ts";
import scalarPath from "./assets/standalone.js.gz" with { type: "file" };
import { openApiDocument } from "./document.ts";
import type { Examples } from "./example.ts";
import recorded from "./examples.json" with { type: "json" };
import { chapterGuides, sections } from "./guides.ts";
import { homeFacts, homePage, homePolicy } from "./home.ts";
import type { Operation } from "./operation.ts";
import { errorsPage, errorsPolicy, referencePage, referencePolicy, startScript } from "./pages.ts";
import refused from "./refusals.json" with { type: "json" };

const schemaOf = <Schema extends TSchema>(checked: unknown) =>
  (checked as { schema?: Schema } | undefined)?.schema ?? null;

/** The routes of an app that have notes, as operations, each once and in the order of the app. */
export function operationsOf(routes: readonly AppRoute[]): Operation[] {
  const operations = new Map<string, Operation>();
  for (const mounted of routes) {
    const { method, path, hooks } = mounted;
    const below = belowVersion(path);
    const route = `${method} ${below}`;
    const said = saidBy(mounted);
    const { id, chapter, summary, answers, sends = "json" } = said;
    if (operations.has(route) || !id || !chapter || !summary || !answers) continue;
    const { description = null, documents = [], refuses = [], matches = false, tagged = false } = said;
    operations.set(route, {
      id,
      chapter,
      summary,
      description,
      answers,
      documents,
      refuses,
      matches,
      tagged,
      method: method.toLowerCase() as Operation["method"],
      path: below.replace(/:(\w+)/g, "{$1}"),
      versioned: below !== path,
      need: said.needs,
      live_only: isLiveOnly(said),
      body: schemaOf(hooks.body),
      sends: bodyKinds[sends].media_type,
      query: schemaOf<TObject>(hooks.query),
      deprecated: said.deprecated !== undefined,
    });
  }
  return [...operations.values()];
}

const joined = (texts: readonly (string | undefined)[]) => texts.flatMap((text) => text?.trim() ?? []).join("\n\n");

/** The OpenAPI document of an app's routes. */
export function describeRoutes(routes: readonly AppRoute[], base_url: string) {
  return openApiDocument(operationsOf(routes), {
    version,
    base_url,
    examples: recorded as Examples,
    refused,
    schemas: { Meta: MetaView, Pagination: PaginationView },
    meaning: (code) => faultWords[code].when,
    chapters: chapters.map(({ name, description }) => {
      return { name, description: joined([description, chapterGuides[name]]) };
    }),
    sections,
  });
}

/** A text that is compressed once, for clients that accept that. As blobs, all answers share its bytes. */
interface Packed {
  readonly gzip: Blob;
  /** The plain text, unpacked at the first request for it. */
  readonly plain: () => Blob;
  /** Names this text, packed or not. */
  readonly etag: string;
}

function packed(bytes: Uint8Array<ArrayBuffer>): Packed {
  let plain: Blob | undefined;
  const open = () => {
    plain ??= new Blob([Bun.gunzipSync(bytes)]);
    return plain;
  };
  const digest = createHash("sha256").update(bytes).digest("base64url");
  return { gzip: new Blob([bytes]), plain: open, etag: `"${digest.slice(0, 22)}"` };
}

/** Answers a text, compressed if the client accepts that; 304 when it has it. The tag is weak: it names both forms. */
function answerText(call: Call, { gzip, plain, etag }: Packed, headers: Readonly<Record<string, string>>): Response {
  const always = { "x-request-id": call.request_id, ...call.headers, etag: `W/${etag}`, vary: "Accept-Encoding" };
  const all = { ...always, "cache-control": "no-cache", "x-content-type-options": "nosniff", ...headers };
  if (isKnown(call, etag)) return new Response(null, { status: 304, headers: all });
  const takes = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))/.test(call.request.headers.get("accept-encoding") ?? "");
  if (!takes) return new Response(plain(), { headers: all });
  return new Response(gzip, { headers: { ...all, "content-encoding": "gzip" } });
}

/** The API's own description. `routes` are those of the whole app, once it is complete. */
export function referenceRoutes(service: Service, routes: readonly AppRoute[]) {
  let document: Packed | undefined;
  const open = () => {
    document ??= packed(Bun.gzipSync(JSON.stringify(describeRoutes(routes, service.base_url))));
    return document;
  };
  const json = { "content-type": "application/json", "access-control-allow-origin": "*" };
  return new Elysia().use(conventions).get("/openapi.json", ({ call }) => answerText(call, open(), json), {
    detail: documented({
      id: "getOpenApi",
      needs: "none",
      chapter: "Service",
      summary: "Get this OpenAPI document",
      answers: { 200: Type.Record(Type.String(), Type.Unknown()) },
    }),
  });
}

const html = (policy: string) => ({
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
});
const script = { "content-type": "text/javascript; charset=utf-8" };
const once = (text: string) => packed(Bun.gzipSync(text));
const reference = once(referencePage);
const errors = once(errorsPage);
const start = once(startScript);

const open_to_all = { detail: unlisted({ needs: "none" }) };

/** The pages for people, which need no key: the reference, and what each code of an error means. */
export function pageRoutes() {
  let scalar: Promise<Packed> | undefined;
  const open = () => {
    scalar ??= readScalar();
    return scalar;
  };
  return new Elysia({ prefix: "/docs" })
    .use(conventions)
    .get("", ({ call }) => answerText(call, reference, html(referencePolicy)), open_to_all)
    .get("/", ({ call }) => answerText(call, reference, html(referencePolicy)), open_to_all)
    .get("/errors", ({ call }) => answerText(call, errors, html(errorsPolicy)), open_to_all)
    .get("/start.js", ({ call }) => answerText(call, start, script), open_to_all)
    .get("/scalar.js", async ({ call }) => answerText(call, await open(), script), open_to_all);
}

const prefersJson = (accept: string | null) => {
  const wishes = readAccept(accept);
  return wishFor("application/json", wishes).quality > wishFor("text/html", wishes).quality;
};

/** The page of the service's own address, for people who open it and for programs that ask for JSON. */
export function homeRoutes() {
  let last: { readonly origin: string; readonly page: Packed; readonly facts: Packed } | undefined;
  return new Elysia().use(conventions).get(
    "/",
    ({ call }) => {
      const origin = originOf(call);
      if (last?.origin !== origin) last = { origin, page: once(homePage(origin)), facts: once(homeFacts(origin)) };
      const vary = { vary: "Accept, Accept-Encoding" };
      if (!prefersJson(call.request.headers.get("accept"))) {
        return answerText(call, last.page, { ...html(homePolicy), ...vary });
      }
      return answerText(call, last.facts, { "content-type": "application/json", ...vary });
    },
    open_to_all,
  );
}

/** The program of the reference page, which is carried packed. */
async function readScalar(): Promise<Packed> {
  return packed(await Bun.file(scalarPath).bytes());
}
