import type { Stores } from "../database/open.ts";
import type { MailSettings, Service } from "../http/service.ts";

/** A file or folder of the data as it was found, before anything was opened, which repairs what others may read. */
export interface FoundFile {
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
}

/** What is examined: settings as `serve` would have them, and the data as far as it can be opened. */
export interface Patient {
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
  readonly files: readonly FoundFile[];
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
