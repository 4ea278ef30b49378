// `packhouse health`: health check of the local server by exit code, for containers and scripts.
import { isIP } from "node:net";
import { type FlagValues, int } from "../core/flags.ts";
import { askOwnServer } from "../outbound/own_server.ts";
import { addressFlags } from "../server/serve_settings.ts";
import { type Commands, command, jsonFlag, print } from "./command.ts";

const flags = {
  host: addressFlags.host,
  port: int(1, 65_535, { value: "PORT", default: "3000", help: "the server's port" }),
  tls: addressFlags.tls,
  "tls-cert": addressFlags["tls-cert"],
  "timeout-seconds": int(1, 60, { value: "N", default: "5", help: "timeout, 1 to 60" }),
  ...jsonFlag,
};

/** `health`. Its flags and their environment variables are named as those of `serve`. */
export const healthCommands: Commands = {
  health: command({
    summary: "check the local server; exit code 0 if it is healthy, otherwise 1",
    flags,
    run: runHealth,
  }),
};

async function runHealth(options: FlagValues<typeof flags>): Promise<number> {
  const seconds = options["timeout-seconds"];
  const scheme = options.tls === undefined && options["tls-cert"] === undefined ? "http" : "https";
  const url = `${scheme}://${ownAddress(options.host)}:${options.port}`;
  const answer = await askOwnServer(`${url}/health`, 1000 * seconds);
  const status = answer === null ? null : statusIn(answer.body);
  const is_healthy = answer?.status_code === 200 && status === "ok";
  if (options.json) print(answer !== null && status !== null ? answer.body : JSON.stringify({ status: "unreachable" }));
  else if (answer === null) print(`no response from ${url} within ${seconds} s`);
  else if (status === null) print(`the server at ${url} is not Packhouse (status ${answer.status_code})`);
  else print(is_healthy ? `ok at ${url}` : `${status} at ${url}: ${answer.body}`);
  return is_healthy ? 0 : 1;
}

/** The local address of a server that listens on `host`. */
function ownAddress(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** The status in a response of `/health`, or null if the body is something else. */
function statusIn(body: string): string | null {
  try {
    const { status, storage } = JSON.parse(body) as { status?: unknown; storage?: unknown };
    return typeof status === "string" && typeof storage === "object" ? status : null;
  } catch {
    return null;
  }
}
