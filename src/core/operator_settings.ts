// Settings of the operator that several features read: backups, archiving, the public identity.

/** How many backups to keep: the last one of each of this many hours, days and months. */
export interface BackupRetention {
  readonly hours: number;
  readonly days: number;
  readonly months: number;
}

/** The operator's settings for scheduled backups. */
export interface BackupPlan {
  /** The destination, in the form that `packhouse backup` takes. */
  readonly to: string;
  readonly every_minutes: number;
  readonly keep: BackupRetention;
  /** Whether they include the secret key. */
  readonly with_key: boolean;
}

/** The state of log archiving to the backup destination. */
export interface LogArchiveState {
  readonly place: string;
  /** Everything committed by then (ms) is archived; null before the first time. */
  readonly until: number | null;
  /** Bytes that are committed but not yet archived. */
  readonly waiting_bytes: number;
  /** Why the destination could not be reached on the last attempt; null when it could. */
  readonly problem: string | null;
}

/** The public identity of this service: the URL in its links, and the prefix of its parcel numbers. */
export interface Site {
  /** The service's URL for links, without a trailing slash; empty when the operator has set none. */
  readonly base_url: string;
  /** The company's GS1 prefix, with which its parcel numbers (SSCC) start; null without one. */
  readonly gs1_prefix: string | null;
  /** The secret from which the keys for signing links are derived. */
  readonly secret_key: Uint8Array;
}

/** The site of a process that is not a server, which has no URL. */
export const noSite: Site = { base_url: "", gs1_prefix: null, secret_key: new Uint8Array() };
