// Copies the two schemas of a PostgreSQL database into an archive, each as a snapshot of its own shows it.
import { closeSync, existsSync, openSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noData } from "../../database/migrate.ts";
import { erasuresIn } from "../../database/postgres_erasures.ts";
import { holdSnapshot } from "../../database/postgres_snapshot.ts";
import { iso } from "../../kit/clock.ts";
import { folderForNow } from "../../kit/leftovers.ts";
import { type Mode, modes } from "../../kit/mode.ts";
import { filePieces } from "../copies/file_pieces.ts";
import { checkDump, dumpSchema } from "../copies/pg_dump.ts";
import type { Copies } from "./copies.ts";

interface Dump {
  readonly file: string;
  readonly at: number;
  readonly migrations: readonly string[];
}

/**
 * Writes both schemas into temporary files, since an archive tells the size of a file before its content. They lie in
 * the data directory where there is one: the folder for temporary files is often in memory, and small. Refuses a
 * database without the data of Packhouse, and a machine without a fit `pg_dump`.
 */
export async function copyPostgres(url: string, data: string, ending: AbortSignal): Promise<Copies> {
  const folder = folderForNow(existsSync(data) ? data : tmpdir(), ".packhouse-dump-");
  const close = async () => rmSync(folder, { recursive: true, force: true });
  try {
    const dumps: Record<Mode, Dump> = {
      live: await dump(url, "live", folder, ending),
      test: await dump(url, "test", folder, ending),
    };
    const sizes = { live: statSync(dumps.live.file).size, test: statSync(dumps.test.file).size };
    return {
      engine: "postgres",
      migrations: { live: dumps.live.migrations, test: dumps.test.migrations },
      worlds: { live: { at: iso(dumps.live.at), commit: null }, test: { at: iso(dumps.test.at), commit: null } },
      size_bytes: sizes.live + sizes.test,
      addTo: async (archive, onPiece) => {
        for (const mode of modes) {
          const file = openSync(dumps[mode].file, "r");
          try {
            await archive.add(`${mode}.dump`, sizes[mode], counted(filePieces(file, sizes[mode]), onPiece));
          } finally {
            closeSync(file);
          }
        }
      },
      erased: async () => (await Promise.all(modes.map((mode) => erasuresIn(url, mode)))).flat(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function dump(url: string, mode: Mode, folder: string, ending: AbortSignal): Promise<Dump> {
  const snapshot = await holdSnapshot(url, mode);
  try {
    if (snapshot.migrations.length === 0) throw noData("the database");
    await checkDump(snapshot);
    const file = join(folder, `${mode}.dump`);
    await dumpSchema(url, mode, snapshot, file, ending);
    return { file, at: snapshot.at, migrations: snapshot.migrations };
  } finally {
    await snapshot.close();
  }
}

async function* counted(pieces: AsyncIterable<Uint8Array>, onPiece: (bytes: number) => void) {
  for await (const piece of pieces) {
    onPiece(piece.length);
    yield piece;
  }
}
