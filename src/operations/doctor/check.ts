import type { MailSettings, Service } from "../../http/service.ts";
import type { FileContents } from "../../storage/file_contents.ts";
import type { Stores } from "../../storage/open_stores.ts";

/** One result of a check, as printed and as in `doctor --json`. */
export interface CheckResult {
  readonly subject: string;
  readonly state: "ok" | "warning" | "problem";
  /** The finding, in one line. */
  readonly said: string;
  /** What to do; null if nothing is needed. */
  readonly advice: string | null;
}

/** Reports that nothing is wrong. */
export const ok = (subject: string, said: string): CheckResult => ({ subject, state: "ok", said, advice: null });

/** Reports that the service works, but may soon fail or fail for some users. */
export const warning = (subject: string, said: string, advice: string): CheckResult => ({
  subject,
  state: "warning",
  said,
  advice,
});

/** Reports that the service does not work, or cannot keep its guarantees. */
export const problem = (subject: string, said: string, advice: string): CheckResult => ({
  subject,
  state: "problem",
  said,
  advice,
});

/** A file or folder of the data directory, as it was before the data was opened, which corrects permissions. */
export interface DataFile {
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
}

/** The input of all checks: the settings that `serve` would use, and the data if it can be opened. */
export interface CheckContext {
  readonly data: string;
  readonly database_url: string | null;
  /** The maximum number of connections to PostgreSQL per server and environment. */
  readonly connections: number;
  /** The address that `serve` would listen on. */
  readonly host: string;
  /** TLS of `serve`: the operator's certificate, one of its own authority, or none. */
  readonly tls: { readonly cert: string; readonly key: string } | "self" | null;
  readonly base_url: string;
  readonly mail: MailSettings | null;
  /** Whether to send a test email. */
  readonly sends_mail: boolean;
  /** The messages with which `serve` would refuse the settings. */
  readonly refused: readonly string[];
  /** The names of the environment variables that are set, and of all known ones. */
  readonly variables: { readonly set: readonly string[]; readonly known: readonly string[] };
  /** The source of the secret key. */
  readonly secret_key: "variable" | "file" | "none";
  /** Where uploaded files are; null if the setting is invalid. */
  readonly uploads: FileContents | null;
  /** The data directory and everything in it. */
  readonly files: readonly DataFile[];
  /** The names of this program's migrations. */
  readonly migrations: readonly string[];
  /** The opened data; null if it could not be opened. A server may be running. */
  readonly stores: Stores | null;
  /** Why the data could not be opened; null if it was opened or is of another version. */
  readonly closed_because: string | null;
  /** Calls external services as the server would; null without opened data or a secret key. */
  readonly service: Service | null;
  /** The machine's clock (ms). */
  readonly now: () => number;
}
