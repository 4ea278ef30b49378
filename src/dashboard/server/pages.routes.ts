import { Elysia } from "elysia";
import { Fault } from "../../core/faults.ts";
import { htmlPage, plainPolicy } from "../../core/html.ts";
import { readAccept } from "../../core/http_headers.ts";
import type { Call } from "../../http/call.ts";
import { isKnown } from "../../http/preconditions.ts";
import { requestPathOf } from "../../http/request_input.ts";
import { conventions } from "../../http/request_pipeline.ts";
import { unlisted } from "../../http/route.ts";
import { type Asset, type AssetForm, type WebFiles, webFiles } from "./web_files.ts";

/** The content security policy: the dashboard loads and runs only its own files. */
const dashboardPolicy = [
  "default-src 'none'",
  // The reader of barcodes for cameras is WebAssembly, which no browser compiles otherwise.
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-src 'self' blob:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const guarded = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
};

const open_to_all = { detail: unlisted({ needs: "none" }) };

/** Serves the dashboard's page and its files. Every path below /dashboard is a screen of the one page. */
export function dashboardPageRoutes() {
  const read = webFiles();
  const page = async ({ call }: { call: Call }) => answerPage(call, await read());
  return new Elysia({ prefix: "/dashboard" })
    .use(conventions)
    .get("", page, open_to_all)
    .get("/", page, open_to_all)
    .get(
      "/assets/:name",
      async ({ call, params }) => answerAsset(call, (await read())?.assets.get(params.name)),
      open_to_all,
    )
    .get(
      "/*",
      async ({ call }) => {
        // A name with an extension is a file, not a screen. A dot in a SKU is written as %2E, so it stays encoded.
        if (/\.\w+$|^\/dashboard\/(?:assets|api)(?:\/|$)/.test(requestPathOf(call.request.url).path)) throw noFile();
        return answerPage(call, await read());
      },
      open_to_all,
    );
}

const noFile = () => new Fault("route_not_found", "The dashboard has no such file.");

const notBuilt = htmlPage(
  "Packhouse",
  "",
  "<p>The dashboard has not been built. Run <code>bun scripts/web.ts</code>, then load this page again.</p>",
);

function headersOf(call: Call): Record<string, string> {
  // On plain http, browsers ignore the header and log a warning on each page.
  const opener = call.request.url.startsWith("https:") ? { "cross-origin-opener-policy": "same-origin" } : {};
  return { "x-request-id": call.request_id, ...call.headers, ...guarded, ...opener };
}

function answerPage(call: Call, files: WebFiles | null): Response {
  const html = { "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" };
  if (files === null) {
    const headers = { ...headersOf(call), ...html, "content-security-policy": plainPolicy("") };
    return new Response(notBuilt, { status: 503, headers });
  }
  const { index, index_etag: etag } = files;
  const headers = { ...headersOf(call), ...html, etag, "content-security-policy": dashboardPolicy };
  if (isKnown(call, etag)) return new Response(null, { status: 304, headers });
  return new Response(index, { headers });
}

async function answerAsset(call: Call, asset: Asset | undefined): Promise<Response> {
  if (asset === undefined) throw noFile();
  const wishes = readAccept(call.request.headers.get("accept-encoding") ?? "identity");
  const quality = (form: AssetForm) => wishes.find(({ type }) => type === form || type === "*")?.quality ?? 0;
  const [form = "plain"] = (asset.is_packed ? (["br", "gzip"] as const) : [])
    .filter((form) => quality(form) > 0)
    .sort((one, other) => quality(other) - quality(one));
  const headers = {
    ...headersOf(call),
    "content-type": asset.type,
    "cache-control": "public, max-age=31536000, immutable",
    vary: "Accept-Encoding",
    ...(form === "plain" ? {} : { "content-encoding": form }),
  };
  return new Response(await asset.as(form), { headers });
}
