import { Elysia } from "elysia";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { unlisted } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { noTrustHtml, pageHeaders, trustHtml } from "./page.ts";

const open_to_all = { detail: unlisted({ needs: "none" }) };

/** How a device comes to trust the authority that this service made for itself. It is no secret, so all may see it. */
export function trustRoutes({ authority }: Service) {
  const html = authority === null ? noTrustHtml() : trustHtml(authority);
  const page = (call: Call) => answer(call, authority === null ? 404 : 200, html, pageHeaders);
  return new Elysia({ prefix: "/trust" })
    .use(conventions)
    .get("", ({ call }) => page(call), open_to_all)
    .get(
      "/authority.crt",
      ({ call }) => {
        if (authority === null) return page(call);
        // By this type phones offer to install it. As PEM it is known to all, also to those who need a file.
        const disposition = 'attachment; filename="packhouse-authority.crt"';
        const headers = { "content-type": "application/x-x509-ca-cert", "content-disposition": disposition };
        return answer(call, 200, authority, { ...headers, "cache-control": "no-cache" });
      },
      open_to_all,
    );
}

function answer(call: Call, status: number, body: string, more: Readonly<Record<string, string>>): Response {
  return new Response(body, { status, headers: { "x-request-id": call.request_id, ...call.headers, ...more } });
}
