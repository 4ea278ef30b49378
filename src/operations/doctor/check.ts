import type { MailSettings, Service } from "../../http/service.ts";
import type { Stores } from "../../storage/open_stores.ts";

/** How something is: as it should be, worth a look, or in the way of the service. */
type CheckState = "ok" | "warning" | "problem";

/** What was found out about one thing, in a line, and what to do about it. */
export interface CheckResult {
  readonly subject: string;
  readonly state: CheckState;
  readonly said: string;
  /** What to do; null where nothing is to be done. */
  readonly advice: string | null;
}

/** All is as it should be. */
export const ok = (subject: string, said: string): CheckResult => ({ subject, state: "ok", said, advice: null });

/** The service works, and might not for long, or not for all. */
export const warning = (subject: string, said: string, advice: string): CheckResult => ({
  ...{ subject, state: "warning", said, advice },
});

/** The service does not work, or what it promises does not hold. */
export const problem = (subject: string, said: string, advice: string): CheckResult => ({
  ...{ subject, state: "problem", said, advice },
});

/** A file or folder of the data as it was found, before anything was opened, which repairs what others may read. */
export interface DataFile {
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
}

/** What is examined: settings as `serve` would have them, and the data as far as it can be opened. */
export interface CheckContext {
  readonly data: string;
  readonly database_url: string | null;
  /** How many connections to PostgreSQL a server may have to each of its worlds. */
  readonly connections: number;
  /** The address that `serve` would listen on. */
  readonly host: string;
  /** Whether `serve` would speak TLS: with files of the operator, by one's own authority, or not. */
  readonly tls: { readonly cert: string; readonly key: string } | "self" | null;
  readonly base_url: string;
  readonly mail: MailSettings | null;
  /** Whether a mail is to be sent for a test. */
  readonly sends_mail: boolean;
  /** What is wrong with the settings, each as `serve` would refuse it. */
  readonly refused: readonly string[];
  /** The names of the variables that are set, and of those that are known. */
  readonly variables: { readonly set: readonly string[]; readonly known: readonly string[] };
  /** Where the secret key comes from; `none` where there is none. */
  readonly secret_key: "variable" | "file" | "none";
  /** The files of the data folder. */
  readonly files: readonly DataFile[];
  /** The migrations that this program carries. */
  readonly migrations: readonly string[];
  /** The data, opened for reading beside a server or alone; null when it could not be. */
  readonly stores: Stores | null;
  /** Why the data was not opened; null when it was. */
  readonly closed_because: string | null;
  /** What calls others as the service would; null where the data is closed or there is no secret key. */
  readonly service: Service | null;
  /** The machine's time. */
  readonly now: () => number;
}
