// Brings the contents of uploaded files to where the restored service looks for them.
import { type Environment, environments } from "../../core/environment.ts";
import { storedFiles, unknownKeys } from "../../files/files.sql.ts";
import { type FileContents, folderContents } from "../../storage/file_contents.ts";
import type { Stores } from "../../storage/open_stores.ts";
import type { BackupManifest } from "./archive.ts";

/** Where the contents of uploaded files are restored to. */
export interface FilesTarget {
  /** The place that the operator named with `--files`; null for the data directory. */
  readonly named: FileContents | null;
  /** Opens the place that a backup names. */
  readonly open: (place: string) => FileContents;
}

interface RestoredFiles extends FilesTarget {
  readonly manifest: BackupManifest;
  /** The folder of the unpacked contents. */
  readonly unpacked: string;
  /** The folder in the data directory; equal to `unpacked` if that becomes the data directory. */
  readonly home: string;
  readonly report: (line: string) => void;
}

/**
 * Copies the contents of uploaded files to the named place, or to the data directory, and reports those that are
 * missing. Contents that a backup left in a bucket stay there, unless another place is named.
 */
export async function restoreFiles(stores: Stores, restored: RestoredFiles): Promise<void> {
  const { manifest, named, open, unpacked, home, report } = restored;
  const { place = null, included = true } = manifest.files ?? {};
  if (!included && (place === null || named === null || named.location === place)) return;
  const source = included || place === null ? folderContents(unpacked) : open(place);
  const target = named ?? folderContents(home);
  const is_in_place = target.folder !== null && target.folder === source.folder;
  let count = 0;
  let missing = 0;
  for (const mode of environments) {
    const files = await stores[mode].read(storedFiles);
    const found = new Set(await source.list(mode));
    const there = new Set(is_in_place ? [] : await target.list(mode));
    for (const { key } of files) {
      if (found.has(key)) count += 1;
      else if (!there.has(key)) missing += 1;
      if (found.has(key) && !is_in_place) await target.write(mode, key, await contentOf(source, mode, key));
    }
    // Files that were uploaded while the backup was made, after its copies of the databases.
    const strays = is_in_place ? await stores[mode].read((db) => unknownKeys(db, [...found])) : [];
    for (const key of strays) await target.remove(mode, key);
  }
  if (named !== null) report(`Uploaded files: ${count} restored to ${named.location}. Start with --files.`);
  if (missing > 0) {
    const where = included ? "the backup" : String(place);
    report(`${missing} uploaded files are not in ${where}: they were uploaded later, or lost. Copy or upload them.`);
  }
}

async function contentOf(source: FileContents, mode: Environment, key: string): Promise<Uint8Array> {
  const bytes = await source.read(mode, key);
  if (bytes === null) throw new Error(`the content ${key} of a file was removed during the restore`);
  return bytes;
}
