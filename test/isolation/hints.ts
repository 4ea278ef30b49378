// The stream of hints: what a listener for one merchant receives while others act.

import { readId } from "../../src/core/ids.ts";
import { traceOf } from "../../src/http/trace.ts";
import type { Code, Fixture } from "./fixture.ts";

let turn = 0;

/**
 * What the asking merchant hears about others, after it and the operator have heard about their own changes. `confuses`
 * makes the service attribute all requests to the asking merchant.
 */
export async function strangeHints(fixture: Fixture, confuses = false): Promise<string[]> {
  const { merchants, app, ask } = fixture;
  turn += 1;
  const name = `HINT-${turn}`;
  const [merchant, house] = [
    await listen(fixture, merchants.BETA.keys.live.full),
    await listen(fixture, app.keys.live.full),
  ];
  const act = async (code: Code): Promise<string[]> => {
    const { keys, ready } = merchants[code];
    const key = keys.live.full;
    const made = await ask({ method: "POST", path: "/products", body: { sku: name, name: code }, key });
    const { id } = JSON.parse(made.text).data;
    // The operator's own requests also cause hints about a merchant's records.
    await witnessed(fixture, `/products/${id}`, { name: `Hint of ${code}` }, confuses ? merchants.BETA.id : null);
    const body = { ...(ready["createOrder"]?.body as object), order_number: name };
    const ordered = await ask({ method: "POST", path: "/orders", body, key });
    return [id, JSON.parse(ordered.text).data.id];
  };
  const others = [...(await act("ALFA")), ...(await act("MAIN"))];
  const own = await act("BETA");
  await app.runJobs();
  const heard = await merchant.until(own);
  await house.until([...own, ...others]);
  return others.filter((id) => heard.includes(id));
}

/**
 * Makes a change as the operator that causes hints as if it came through the server; for a merchant if one is given.
 */
async function witnessed({ app: { app, service, keys } }: Fixture, path: string, body: object, whose: string | null) {
  const headers = { authorization: `Bearer ${keys.live.full}`, "content-type": "application/json" };
  const url = `http://packhouse.test/v1${path}`;
  const request = new Request(url, { method: "PATCH", headers, body: JSON.stringify(body) });
  const { status } = await app.handle(request);
  if (status !== 200) throw new Error(`${path} is not changed: ${status}`);
  const trace = traceOf(request);
  if (whose !== null) trace.merchant_id = readId("merchant", whose);
  for (const observer of service.observers) observer(request, trace, status, 0);
}

async function listen({ app: { app } }: Fixture, key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const url = "http://packhouse.test/dashboard/api/events";
  const { body } = await app.handle(new Request(url, { headers }));
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let heard = "";
  /** What was heard, once all of these ids have appeared. */
  const until = async (ids: readonly string[]): Promise<string> => {
    while (!ids.every((id) => heard.includes(id))) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`the stream ended: ${heard}`);
      heard += new TextDecoder().decode(value);
    }
    await reader.cancel();
    return heard;
  };
  return { until };
}
