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
