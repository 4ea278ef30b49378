// `packhouse health`: whether the server of this machine is well, by its exit code. Containers and scripts ask it.
import { isIP } from "node:net";
import { type Flags, type FlagValues, UsageError } from "../core/config.ts";
import { askOwnServer } from "../outbound/own_server.ts";
import { type Commands, command, jsonFlag, print } from "./command.ts";

const flags = {
  host: { type: "string", value: "ADDRESS", default: "127.0.0.1", help: "where the server listens, as it was told" },
  port: { type: "string", value: "PORT", default: "3000", help: "the port it listens on" },
  tls: { type: "string", value: "self", help: "it speaks TLS with a certificate of its own" },
  "tls-cert": { type: "string", value: "FILE", help: "it speaks TLS with this certificate" },
  "timeout-seconds": { type: "string", value: "N", default: "5", help: "how long to wait for an answer, 1 to 60" },
  ...jsonFlag,
} as const satisfies Flags;

/** The command that asks the server of this machine how it is. It takes what `serve` takes, the variables too. */
export const healthCommands: Commands = {
  health: command({
    summary: "ask the server of this machine how it is; exit code 0 when it is well, 1 when not",
    flags,
    run: runHealth,
  }),
};

async function runHealth(given: FlagValues<typeof flags>): Promise<number> {
  const port = /^\d{1,5}$/.test(given.port ?? "") ? Number(given.port) : Number.NaN;
  if (!(port >= 1 && port <= 65_535)) throw new UsageError("--port must be a number from 1 to 65535.");
  const seconds = /^\d{1,2}$/.test(given["timeout-seconds"] ?? "") ? Number(given["timeout-seconds"]) : Number.NaN;
  if (!(seconds >= 1 && seconds <= 60)) throw new UsageError("--timeout-seconds must be a number from 1 to 60.");
  const scheme = given.tls === undefined && given["tls-cert"] === undefined ? "http" : "https";
  const url = `${scheme}://${ownAddress(given.host ?? "127.0.0.1")}:${port}`;
  const answer = await askOwnServer(`${url}/health`, 1000 * seconds);
  const told = answer === null ? null : statusIn(answer.body);
  const is_well = answer?.status_code === 200 && told === "ok";
  if (given.json) print(answer !== null && told !== null ? answer.body : JSON.stringify({ status: "unreachable" }));
  else if (answer === null) print(`nothing answers at ${url} within ${seconds} s`);
  else if (told === null) print(`what answers at ${url} is no Packhouse (${answer.status_code})`);
  else print(is_well ? `ok at ${url}` : `${told} at ${url}: ${answer.body}`);
  return is_well ? 0 : 1;
}

/** By which address a server of this machine is reached that listens where `--host` says. */
function ownAddress(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** The status in an answer of `/health`; null where the answer is none of it. */
function statusIn(body: string): string | null {
  try {
    const { status, storage } = JSON.parse(body) as { status?: unknown; storage?: unknown };
    return typeof status === "string" && typeof storage === "object" ? status : null;
  } catch {
    return null;
  }
}
