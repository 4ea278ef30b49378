// A receiver in a separate process, which knows one secret at a time and nothing about the service. `POST /trust` sets
// the secret and `GET /report` returns what was received. Everything else is a delivery.
import { verify } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";

let secret = "";
const seen: string[] = [];
const unverifiable: string[] = [];

/** What is wrong with a delivery under the current secret, or null. Either of the body's two headers is enough. */
async function problemOf(raw: string, headers: Headers): Promise<string | null> {
  const trusted = secret;
  try {
    new Webhook(trusted).verify(raw, Object.fromEntries(headers));
  } catch (error) {
    return String(error);
  }
  for (const name of ["x-webhook-signature", "x-webhook-signature-previous"]) {
    const signature = headers.get(name);
    if (signature !== null && (await verify(trusted, raw, `sha256=${signature}`))) return null;
  }
  return "no header of the body is right";
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/report") return Response.json({ seen, unverifiable });
    const raw = await request.text();
    if (pathname === "/trust") {
      secret = raw;
      return new Response(null, { status: 204 });
    }
    const problem = await problemOf(raw, request.headers);
    if (problem !== null) unverifiable.push(problem);
    seen.push(request.headers.get("webhook-id") ?? "");
    return new Response(null, { status: problem === null ? 204 : 401 });
  },
});
console.log(`http://127.0.0.1:${server.port}`);
