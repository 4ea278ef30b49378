// `packhouse doctor`: checks the machine, settings, data and external services.

import { systemClock } from "../core/clock.ts";
import { databaseUrl, engine, variable, variableNames } from "../core/config.ts";
import { environments } from "../core/environment.ts";
import { type FlagValues, flag, text, variableOf } from "../core/flags.ts";
import { silentLog } from "../core/log.ts";
import type { Service } from "../http/service.ts";
import type { CheckContext, CheckResult } from "../operations/doctor/check.ts";
import { filesIn } from "../operations/doctor/data_checks.ts";
import { doctorChecks, runChecks } from "../operations/doctor/run_checks.ts";
import { contentsAt } from "../server/backup_locations.ts";
import { settingsAndRefusals } from "../server/environment_settings.ts";
import { secretKeyAtHand } from "../server/secret_key.ts";
import { addressFlags, filesFlag, serveFlags, valuesAndRefusals } from "../server/serve_settings.ts";
import { folderContents } from "../storage/file_contents.ts";
import { known_migrations } from "../storage/migrations/migrate.ts";
import { openStores, type Stores } from "../storage/open_stores.ts";
import { probeMigrations } from "../storage/probe.ts";
import { isStartRefused } from "../storage/start_refused.ts";
import { type Commands, command, type DataLocation, dataFlags, jsonFlag, print } from "./command.ts";

// Settings of the server are read as text: an invalid one is a result of the checks.
const server = {
  ...addressFlags,
  "tls-key": text({ value: "FILE", help: "the certificate's private key" }),
  files: filesFlag,
  "database-connections": text({ value: "N", default: "16", help: "the server's --database-connections" }),
};
const flags = {
  ...server,
  "allow-loopback-receivers": serveFlags["allow-loopback-receivers"],
  "send-mail": flag("also send a test email"),
  ...dataFlags,
  ...jsonFlag,
};
type DoctorFlags = FlagValues<typeof flags>;

const default_connections = 16;

/** Environment variables that belong to no flag. */
const other_variables = [
  "BASE_URL",
  "GS1_PREFIX",
  "MAIL_FROM",
  "MAIL_TO",
  "S3_ACCESS_KEY_ID",
  "S3_ENDPOINT",
  "S3_REGION",
  "S3_SECRET_ACCESS_KEY",
  "SECRET_KEY",
  "SMTP_URL",
  "TRUSTED_PROXIES",
  "WEBHOOK_ALLOW_CIDRS",
].map((name) => `PACKHOUSE_${name}`);

/** `doctor`. `commands` returns every command: their flags determine which environment variables are known. */
export function doctorCommands(commands: () => Promise<Commands>): Commands {
  return {
    doctor: command({
      summary: "check the machine, settings, data and external services",
      flags,
      run: (options) => runDoctor(options, commands),
    }),
  };
}

async function runDoctor(options: DoctorFlags, commands: () => Promise<Commands>): Promise<number> {
  const flag_names = Object.values(await commands()).flatMap(({ flags }) => Object.keys(flags));
  const known = new Set<string>([...flag_names.map(variableOf), ...other_variables]);
  const opened = { files: filesIn(options.data), ...(await opening(options)) };
  const words = Object.keys(server).flatMap((name) => {
    const text = options[name as keyof typeof server];
    return text === undefined ? [] : `--${name}=${text}`;
  });
  const { values, refused } = await valuesAndRefusals(words);
  const connections = values["database-connections"] ?? default_connections;
  const context = contextOf(options, [...known].sort(), { ...opened, refused, connections });
  const onResult = (result: CheckResult) => {
    if (!options.json) for (const line of linesOf(result)) print(line);
  };
  try {
    const { accountChecks } = await import("../operations/doctor/account_checks.ts");
    const findings = await runChecks(context, [...doctorChecks, ...accountChecks], onResult);
    const count = (state: CheckResult["state"]) => findings.filter((finding) => finding.state === state).length;
    const [problems, warnings] = [count("problem"), count("warning")];
    if (options.json) print(JSON.stringify({ problems, warnings, findings }));
    else print(`${problems} problems, ${warnings} warnings`);
    return problems === 0 ? 0 : 1;
  } finally {
    await opened.stores?.close();
  }
}

function linesOf({ subject, state, said, advice }: CheckResult): string[] {
  const lines = [`${state.padEnd(8)} ${subject}: ${said}`];
  return advice === null ? lines : [...lines, `         ${advice}`];
}

interface OpenedStores {
  readonly stores: Stores | null;
  readonly closed_because: string | null;
}

/** Opens the data, unless it is of another version: opening would migrate it. */
async function opening({ data }: DataLocation): Promise<OpenedStores> {
  const applied = await probeMigrations(data, databaseUrl);
  const carried = known_migrations[engine].map(({ name }) => name);
  const is_ready = environments.every((mode) => carried.every((name) => applied[mode]?.includes(name)));
  if (!is_ready) return { stores: null, closed_because: null };
  try {
    const fatal = (error: unknown) => {
      throw error;
    };
    const settings = { data, database_url: databaseUrl, purpose: "command", must_exist: true } as const;
    const stores = await openStores({ ...settings, log: silentLog, fatal, connections: 2 });
    return { stores, closed_because: null };
  } catch (error) {
    return {
      stores: null,
      closed_because: isStartRefused(error) || error instanceof Error ? error.message : String(error),
    };
  }
}

function contextOf(
  options: DoctorFlags,
  known: readonly string[],
  {
    files,
    stores,
    closed_because,
    refused,
    connections,
  }: OpenedStores & Pick<CheckContext, "files" | "refused" | "connections">,
): CheckContext {
  const { host, data } = options;
  const { settings, refused: others } = settingsAndRefusals({
    host,
    allow_loopback_receivers: options["allow-loopback-receivers"],
  });
  const problems = [...refused, ...others];
  const key = read(() => secretKeyAtHand(data, databaseUrl), problems);
  const clock = systemClock();
  return {
    data,
    database_url: databaseUrl,
    connections,
    host,
    tls: tlsOf(options),
    base_url: settings.base_url,
    mail: settings.mail,
    sends_mail: options["send-mail"],
    refused: problems,
    variables: { set: variableNames(), known },
    secret_key: variable("PACKHOUSE_SECRET_KEY") !== null ? "variable" : key === null ? "none" : "file",
    migrations: known_migrations[engine].map(({ name }) => name),
    uploads: read(() => contentsAt(options.files, data), []),
    files,
    stores,
    closed_because,
    service: stores === null || key === null ? null : serviceOf(stores, key, settings),
    now: () => clock.now(),
  };
}

/** Returns what `work` returns. If it throws, adds the message to `problems` and returns null. */
function read<T>(work: () => T, problems: string[]): T | null {
  try {
    return work();
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
    return null;
  }
}

function tlsOf({ tls, "tls-cert": cert, "tls-key": key }: DoctorFlags): CheckContext["tls"] {
  if (cert !== undefined) return { cert, key: key ?? "" };
  return tls === "self" ? "self" : null;
}

/** A service that does not listen, but calls external services as the server does. */
function serviceOf(
  stores: Stores,
  secret_key: Uint8Array,
  settings: ReturnType<typeof settingsAndRefusals>["settings"],
): Service {
  const never = new AbortController().signal;
  return {
    stores: { live: stores.live, test: stores.test },
    registry: null,
    log: silentLog,
    secret_key,
    ...settings,
    tls: false,
    authority: null,
    allow_insecure_lan: false,
    data: "",
    database_url: null,
    backups: null,
    files: folderContents(""),
    event_retention_days: 30,
    request_log_days: 7,
    erasures_path: null,
    carrier_timeout_ms: 5000,
    ownPort: () => null,
    peerOf: () => null,
    waitFor: () => {},
    observers: [],
    draining: never,
    ending: never,
  };
}
