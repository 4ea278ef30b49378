// Where backups are kept.
import type { Erasure } from "../../database/erasures.ts";

/** A backup that is being written: no name of a finished one leads to it. */
export interface Draft {
  /** Where it will be found; final once it is kept. */
  readonly place: string;
  write(bytes: Uint8Array): Promise<void>;
  /** Gives it its name, once it is safely stored. */
  keep(): Promise<void>;
  /** Removes what was written. Nothing to do once it is kept. */
  drop(): Promise<void>;
}

/** A finished backup. */
interface StoredBackup {
  readonly name: string;
  readonly size_bytes: number;
}

export interface Destination {
  /** As the operator wrote it, and free of secrets. */
  readonly place: string;
  /** Begins a backup of this moment, in milliseconds. Removes what killed runs have left half-written. */
  begin(at: number): Promise<Draft>;
  /** The finished backups, by their names the oldest first. */
  list(): Promise<StoredBackup[]>;
  /** Adds erasures of customers to those that are kept beside the backups, for a restore to do them again. */
  keepErasures(erasures: readonly Erasure[]): Promise<void>;
  /** Removes a finished backup. */
  remove(name: string): Promise<void>;
}
