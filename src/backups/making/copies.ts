// What the copies of both worlds are, whichever engine keeps them.
import type { Erasure } from "../../database/erasures.ts";
import type { Manifest } from "../archive/manifest.ts";
import type { ArchiveWriter } from "../archive/writer.ts";

export interface Copies extends Pick<Manifest, "engine" | "worlds"> {
  readonly migrations: Readonly<Record<"live" | "test", readonly string[]>>;
  /** How much is read for it. */
  readonly size_bytes: number;
  /** Adds both worlds to an archive; `onPiece` is told how many bytes were read. */
  addTo(archive: ArchiveWriter, onPiece: (bytes: number) => void): Promise<void>;
  /** Throws a `StartRefused` once the service would suffer by what is held for it. */
  check?(): void;
  /** The erasures of customers by now that the file of erasures in this data directory may not have. */
  erased(): Promise<readonly Erasure[]>;
  /** Lets go of what was held for it. */
  close(): Promise<void>;
}
