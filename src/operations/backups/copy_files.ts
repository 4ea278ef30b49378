// Adds the contents of uploaded files to a backup. A bucket keeps its own: the backup only names it.
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { contentPath, type FileContents, files_folder, listContents } from "../../storage/file_contents.ts";
import { type BackupCopies, fileChunks } from "./write_archive.ts";

/**
 * Copies of both environments together with the contents of their files. They are listed after the databases were
 * copied, so no file of the copies is missing; a content is kept for a day after its file was deleted.
 */
export async function withContents(copies: BackupCopies, { location, folder }: FileContents): Promise<BackupCopies> {
  const found = folder === null ? [] : await listContents(folder);
  const bytes = found.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  return {
    ...copies,
    size_bytes: copies.size_bytes + bytes,
    files: { place: location, included: folder !== null, count: found.length },
    async addTo(archive, onChunk) {
      await copies.addTo(archive, onChunk);
      for (const { mode, key, size_bytes } of found) {
        const file = openContent(join(folder ?? "", contentPath(mode, key)));
        if (file === null) continue;
        try {
          await archive.add(join(files_folder, contentPath(mode, key)), size_bytes, fileChunks(file, size_bytes));
        } finally {
          closeSync(file);
        }
        onChunk(size_bytes);
      }
    },
  };
}

/** Opens a content; null if it was removed since it was listed. */
function openContent(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return null;
    throw error;
  }
}
