// The baseline for deliveries: a loop that sends a receiver the requests that it got before once more, over keep-alive
// connections, with as many in flight as a subscription may have. It signs and records nothing.
import * as http from "node:http";

interface Sent {
  readonly headers: Record<string, string>;
  readonly body: string;
}

const [url = "", at_once = "1"] = process.argv.slice(2);
const requests = (await (await fetch(`${url}/requests`)).json()) as Sent[];
await fetch(`${url}/forget`);
const { hostname, port } = new URL(url);
const agent = new http.Agent({ keepAlive: true });

function send({ headers, body }: Sent): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, path: "/hook", method: "POST", headers, agent }, (response) => {
      response.on("data", () => {});
      response.on("end", resolve);
    });
    request.on("error", reject);
    request.end(body);
  });
}

let next = 0;
async function sendOn(): Promise<void> {
  for (let one = requests[next++]; one !== undefined; one = requests[next++]) await send(one);
}
await Promise.all(Array.from({ length: Number(at_once) }, sendOn));
agent.destroy();
