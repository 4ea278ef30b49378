// What the operator wants of the backups that a service makes by itself.

/** How many backups are kept: of so many hours, days and months the last of each. */
export interface BackupRetention {
  readonly hours: number;
  readonly days: number;
  readonly months: number;
}

/** What the operator wants of the backups of a service. */
export interface BackupPlan {
  /** Where they go, as `packhouse backup` takes it. */
  readonly to: string;
  readonly every_minutes: number;
  readonly keep: BackupRetention;
  /** Whether the secret key is in them. */
  readonly with_key: boolean;
}

/** How it stands with what is committed and shipped to the place of the backups. */
export interface LogArchiveState {
  readonly place: string;
  /** All that was committed by then (ms) is in the place; null before the first time. */
  readonly until: number | null;
  /** How much waits to be sent there. */
  readonly waiting_bytes: number;
  /** Why the place could not be reached when it was tried last; null when it could. */
  readonly problem: string | null;
}

/** The public identity of this service: the address in its links, and the prefix of its parcel numbers. */
export interface Site {
  /** Address of the service as links name it, without a slash at the end; empty while the operator has given none. */
  readonly base_url: string;
  /** The company's GS1 prefix, with which the numbers of its parcels begin; null without one. */
  readonly gs1_prefix: string | null;
  /** The secret from which the keys that sign links are derived. */
  readonly secret_key: Uint8Array;
}

/** The site of a process that is no server, which has no address. */
export const noSite: Site = { base_url: "", gs1_prefix: null, secret_key: new Uint8Array() };
