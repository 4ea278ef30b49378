// A receiver in its own process: it accepts everything posted to it, and reports what came when.
const came: { at: number; headers: Record<string, string>; body: string }[] = [];

/** The delays of events after their creation, in milliseconds, in order of arrival. */
const waits = () => came.map(({ at, body }) => at - Date.parse(/"created_at":"([^"]+)"/.exec(body)?.[1] ?? ""));

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  reusePort: false,
  fetch: async (request) => {
    if (request.method === "POST") {
      const body = await request.text();
      came.push({ at: performance.timeOrigin + performance.now(), headers: Object.fromEntries(request.headers), body });
      return new Response("ok");
    }
    switch (new URL(request.url).pathname) {
      case "/requests":
        return Response.json(came.map(({ headers, body }) => ({ headers, body })));
      case "/forget":
        came.length = 0;
        return new Response("ok");
      case "/count":
        return Response.json({ count: came.length });
      default:
        return Response.json({ count: came.length, first_at: came[0]?.at, last_at: came.at(-1)?.at, waits: waits() });
    }
  },
});
console.log(`accepts requests at http://127.0.0.1:${server.port}`);
