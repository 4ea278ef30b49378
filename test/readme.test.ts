// The README's first calls, run as a reader would: every command in order, against a new service.
import { afterAll, expect, test } from "bun:test";
import type { StartedService } from "../scripts/service.ts";
import { startFreshService } from "./flows/service.ts";

const tour = (await Bun.file("README.md").text()).split("## First calls")[1]?.split("\n## ")[0] ?? "";
const blocks = [...tour.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
/** The responses that the README shows. */
const shown = [...tour.matchAll(/```json\n([\s\S]*?)```/g)].map(([, answer = ""]) => JSON.parse(answer) as object);
const hasCurl = Bun.which("curl") !== null;
if (!hasCurl) console.log("SKIPPED readme: curl is not installed");

const started: StartedService[] = [];
afterAll(() => Promise.all(started.map((service) => service.remove())));

test.skipIf(!hasCurl)(
  "every first call works and returns what the README shows",
  async () => {
    const service = await startFreshService();
    started.push(service);
    const key = service.first_keys.test;
    expect([blocks.length, shown.length]).toEqual([6, 3]);
    const script = blocks
      .join("\n")
      .replaceAll("http://127.0.0.1:3000", service.url)
      .replaceAll("ph_test_…", key)
      .replaceAll("npx -y bun@1.4.5", process.execPath)
      // Any free port works for the receiver.
      .replaceAll("4000", String(await freePort()))
      .replace("src/main.ts verify", `src/main.ts verify --data ${service.data} ${databaseFlag(service)}`);
    // The last events may take a moment on a busy machine.
    const shell = Bun.spawn(["bash", "-eu", "-c", `trap 'kill $(jobs -p)' EXIT\n${script}\nsleep 3`], {
      stdout: "pipe",
      stderr: "pipe",
    });
    const [said, complained] = await Promise.all([
      new Response(shell.stdout).text(),
      new Response(shell.stderr).text(),
    ]);
    expect({ code: await shell.exited, complained }).toEqual({ code: 0, complained: "" });
    const answers = said.split("\n").flatMap((line) => line.match(/\{"success".*\}/) ?? []);
    for (const answer of shown) {
      expect(answers.map((text) => JSON.parse(text))).toContainEqual(expect.objectContaining(containing(answer)));
    }
    expect(said).toContain("test: 0 differences");
    for (const type of ["order.created", "inventory.low_stock", "order.shipped", "order.delivered"]) {
      // The receiver writes between the responses, sometimes after one without a final line break.
      expect(said.split("\n").some((line) => line.endsWith(type))).toBe(true);
    }
  },
  60_000,
);

test.skipIf(!hasCurl)(
  "the first steps on the service's own page work",
  async () => {
    const service = await startFreshService();
    started.push(service);
    const key = service.first_keys.test;
    const page = await (await fetch(service.url)).text();
    const [make_key = "", ...steps] = [...page.matchAll(/<pre>([\s\S]*?)<\/pre>/g)].map(([, step = ""]) => step);
    expect(make_key).toStartWith("packhouse keys create --name me --permission full --mode test\n");
    const script = steps
      .join("\necho\n")
      .replaceAll("&quot;", '"')
      .replaceAll("&#x27;", "'")
      .replaceAll("curl ", "curl -sS --fail-with-body ");
    const shell = Bun.spawn(["bash", "-eu", "-c", `KEY=${key}\n${script}`], { stdout: "pipe", stderr: "pipe" });
    const [said, complained] = await Promise.all([shell.stdout.text(), shell.stderr.text()]);
    expect({ code: await shell.exited, complained }).toEqual({ code: 0, complained: "" });
    expect(said).toContain('"address_line1":"8 Pier Rd"');
    expect(said).toMatch(/"available(?:_quantity)?":10/);
  },
  60_000,
);

/** Expects at least these fields, at every depth. */
function containing(fields: object): object {
  const within = ([name, value]: [string, unknown]) =>
    typeof value === "object" && value !== null ? [name, expect.objectContaining(containing(value))] : [name, value];
  return Object.fromEntries(Object.entries(fields).map(within));
}

async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port = 0 } = server;
  await server.stop(true);
  return port;
}

function databaseFlag({ database_url }: StartedService): string {
  return database_url === null ? "" : `--database-url ${database_url}`;
}
