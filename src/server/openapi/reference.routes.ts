import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Fault } from "../../core/faults.ts";
import { acceptQuality, readAccept } from "../../core/http_headers.ts";
import { onFirstUse } from "../../core/memoize.ts";
import type { Call } from "../../http/call.ts";
import { originOf } from "../../http/origin.ts";
import { isKnown } from "../../http/preconditions.ts";
import { conventions } from "../../http/request_pipeline.ts";
import { type AppRoute, unlisted } from "../../http/route.ts";
import { respond, routes } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { homeFacts, homePage, homePolicy } from "./home.ts";
import scalarPath from "./standalone.js.gz" with { type: "file" };

/** A text that is compressed once. As blobs, all responses share its bytes. */
interface PackedText {
  readonly gzip: Blob;
  /** The plain text, decompressed at the first request for it. */
  readonly plain: () => Blob;
  /** Identifies this text, compressed or not. */
  readonly etag: string;
}

function packed(bytes: Uint8Array<ArrayBuffer>): PackedText {
  let plain: Blob | undefined;
  const open = () => {
    plain ??= new Blob([Bun.gunzipSync(bytes)]);
    return plain;
  };
  const digest = createHash("sha256").update(bytes).digest("base64url");
  return { gzip: new Blob([bytes]), plain: open, etag: `"${digest.slice(0, 22)}"` };
}

/** Returns a text, compressed if the client accepts it, or 304. The tag is weak because both forms share it. */
function answerText(
  call: Call,
  { gzip, plain, etag }: PackedText,
  headers: Readonly<Record<string, string>>,
): Response {
  const always = { "x-request-id": call.request_id, ...call.headers, etag: `W/${etag}`, vary: "Accept-Encoding" };
  const all = { ...always, "cache-control": "no-cache", "x-content-type-options": "nosniff", ...headers };
  if (isKnown(call, etag)) {
    const { "content-type": _, ...unchanged } = all as Record<string, string>;
    return new Response(null, { status: 304, headers: unchanged });
  }
  const takes = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))/.test(call.request.headers.get("accept-encoding") ?? "");
  if (!takes) return new Response(plain(), { headers: all });
  return new Response(gzip, { headers: { ...all, "content-encoding": "gzip" } });
}

/** Tools on other sites may read it as well. */
const readable_elsewhere = { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" };

/** Serves the OpenAPI document. `all` are the routes of the complete app. */
export function referenceRoutes(service: Service, all: readonly AppRoute[]) {
  const open = onFirstUse(async () => {
    const { describeRoutes } = await import("./description.ts");
    return once(JSON.stringify(describeRoutes(all, service.base_url)));
  });
  const json = { "content-type": "application/json", ...readable_elsewhere };
  return routes("Service", [
    respond("GET", "/openapi.json", "none", {
      id: "getOpenApi",
      summary: "Get this OpenAPI document",
      description:
        "OpenAPI 3.1 in JSON, with every operation, schema, event and error code of the running version. Use it to" +
        " generate a client. Its `ETag` changes only with an upgrade.",
      tagged: true,
      answers: { 200: Type.Record(Type.String(), Type.Unknown()) },
      answer: async ({ call }) => answerText(call, await open(), json),
    }),
  ]);
}

const html = (policy: string) => ({
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
});
const script = { "content-type": "text/javascript; charset=utf-8" };
const once = (text: string) => packed(Bun.gzipSync(text));

const markdown = { "content-type": "text/markdown; charset=utf-8" };

/** The pages with their policies, and the script that starts the reference. */
const pages = onFirstUse(async () => {
  const { errorsPage, plainPagePolicy, referencePage, referencePolicy, startScript } = await import("./pages.ts");
  const { guidesPage } = await import("./guide_pages.ts");
  return {
    reference: [once(referencePage), html(referencePolicy)],
    errors: [once(errorsPage), html(plainPagePolicy)],
    guides: [once(guidesPage), html(plainPagePolicy)],
    start: [once(startScript), script],
  } as const;
});

async function answerPage(call: Call, name: "reference" | "errors" | "guides" | "start"): Promise<Response> {
  const [text, headers] = (await pages())[name];
  return answerText(call, text, headers);
}

/** The texts of the guides by file name, such as `webhooks` for the page and `webhooks.md` for its source. */
const guideTexts = new Map<string, PackedText>();

/** Returns a guide as a page, or its Markdown. Refuses: resource_missing. */
async function answerGuide(call: Call, file: string): Promise<Response> {
  const { guideNamed } = await import("./guides.ts");
  const { guidePage } = await import("./guide_pages.ts");
  const isSource = file.endsWith(".md");
  const guide = guideNamed(isSource ? file.slice(0, -".md".length) : file);
  if (guide === undefined) throw new Fault("resource_missing", "There is no such guide. /docs/guides lists them all.");
  const text = guideTexts.get(file) ?? once(isSource ? guide.text : guidePage(guide));
  guideTexts.set(file, text);
  const [, headers] = (await pages()).guides;
  return answerText(call, text, isSource ? markdown : headers);
}

const open_to_all = { detail: unlisted({ needs: "none" }) };

/** The pages, which need no key: the reference, the guides and the error codes. */
export function pageRoutes() {
  return new Elysia({ prefix: "/docs" })
    .use(conventions)
    .get("", ({ call }) => answerPage(call, "reference"), open_to_all)
    .get("/", ({ call }) => answerPage(call, "reference"), open_to_all)
    .get("/errors", ({ call }) => answerPage(call, "errors"), open_to_all)
    .get("/guides", ({ call }) => answerPage(call, "guides"), open_to_all)
    .get("/guides/:name", ({ call, params }) => answerGuide(call, params.name), open_to_all)
    .get("/start.js", ({ call }) => answerPage(call, "start"), open_to_all)
    .get("/scalar.js", async ({ call }) => answerText(call, await scalar(), script), open_to_all);
}

const prefersJson = (accept: string | null) => {
  const wishes = readAccept(accept);
  return acceptQuality("application/json", wishes).quality > acceptQuality("text/html", wishes).quality;
};

/** The page at `/`: HTML for browsers, JSON for programs that ask for it. And `/llms.txt`, for language models. */
export function homeRoutes() {
  let listed: { readonly origin: string; readonly text: PackedText } | undefined;
  let last: { readonly origin: string; readonly page: PackedText; readonly facts: PackedText } | undefined;
  return new Elysia()
    .use(conventions)
    .get(
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
    )
    .get(
      "/llms.txt",
      async ({ call }) => {
        const { llmsText } = await import("./guide_pages.ts");
        const origin = originOf(call);
        if (listed?.origin !== origin) listed = { origin, text: once(llmsText(origin)) };
        return answerText(call, listed.text, { "content-type": "text/plain; charset=utf-8" });
      },
      open_to_all,
    );
}

/** Scalar's script, which the binary carries compressed. */
const scalar = onFirstUse(async () => packed(await Bun.file(scalarPath).bytes()));
