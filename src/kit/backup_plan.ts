// What the operator wants of the backups that a service makes by itself.

/** How many backups are kept: of so many hours, days and months the last of each. */
export interface Keeping {
  readonly hours: number;
  readonly days: number;
  readonly months: number;
}

/** What the operator wants of the backups of a service. */
export interface BackupPlan {
  /** Where they go, as `packhouse backup` takes it. */
  readonly to: string;
  readonly every_minutes: number;
  readonly keep: Keeping;
  /** Whether the secret key is in them. */
  readonly with_key: boolean;
}

/** How it stands with what is committed and shipped to the place of the backups. */
export interface Shipped {
  readonly place: string;
  /** All that was committed by then (ms) is in the place; null before the first time. */
  readonly until: number | null;
  /** How much waits to be sent there. */
  readonly waiting_bytes: number;
  /** Why the place could not be reached when it was tried last; null when it could. */
  readonly problem: string | null;
}
