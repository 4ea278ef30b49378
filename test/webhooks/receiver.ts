// A receiver on a free port, as a customer would write it. It knows its secret and nothing about the service.
import { verify } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";

/** One received request. */
export interface Received {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The response: a status, or a whole response. */
type Answer = (received: Received, count: number) => number | Response | Promise<number | Response>;

/** Opens a receiver that responds with 200 until the test sets another response. */
export function openReceiver(answer: Answer = () => 200) {
  const received: Received[] = [];
  let current = answer;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const got = { body: await request.text(), headers: Object.fromEntries(request.headers) };
      received.push(got);
      const answered = await current(got, received.length);
      return typeof answered === "number" ? new Response("seen", { status: answered }) : answered;
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/events`,
    received,
    /** The received bodies, parsed. */
    get events() {
      return received.map(({ body }) => JSON.parse(body));
    },
    answerWith: (next: Answer) => {
      current = next;
    },
    stop: () => server.stop(true),
  };
}
export type Receiver = ReturnType<typeof openReceiver>;

/** Throws unless two independent libraries accept both signature schemes of a request. */
export async function mustVerify({ body, headers }: Received, secret: string): Promise<void> {
  new Webhook(secret).verify(body, headers);
  for (const name of ["x-webhook-signature", "x-packhouse-signature"]) {
    if (!(await verify(secret, body, `sha256=${headers[name]}`))) throw new Error(`${name} is wrong`);
  }
}

/** The headers by which a request verifies under a secret: time and body, body alone, or the old secret. */
export async function verified({ body, headers }: Received, secret: string) {
  const byBody = async (name: string) => {
    const signature = headers[name];
    return signature !== undefined && (await verify(secret, body, `sha256=${signature}`));
  };
  let timed = true;
  try {
    new Webhook(secret).verify(body, headers);
  } catch {
    timed = false;
  }
  return { timed, body: await byBody("x-webhook-signature"), previous: await byBody("x-webhook-signature-previous") };
}
