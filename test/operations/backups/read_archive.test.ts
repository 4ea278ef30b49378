// Writing archives and reading them, complete and damaged.
import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { archiveName, momentOfName } from "../../../src/operations/backups/archive.ts";
import { openArchive } from "../../../src/operations/backups/read_archive.ts";
import { beginArchive } from "../../../src/operations/backups/write_archive.ts";

const manifest = {
  packhouse: "0.1.0",
  engine: "sqlite" as const,
  migrations: { live: ["0001_base"], test: ["0001_base"] },
  modes: { live: { at: "2026-11-24T17:30:00.000Z", commit: 7 }, test: { at: "2026-11-24T17:30:00.001Z", commit: 9 } },
  made_at: "2026-11-24T17:30:00.002Z",
  secret_key: { included: false, fingerprint: null },
};

/** Returns poorly compressible bytes, the same in each run: more than two frames. */
const content = Buffer.alloc(9 * 1024 * 1024);
for (let at = 0, state = 1; at < content.length; at += 5) {
  state = (state * 1103515245 + 12345) % 2 ** 31;
  content[at] = state >> 8;
}

async function written(): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const archive = await beginArchive({ write: async (bytes) => void parts.push(bytes) }, manifest);
  await archive.add("live.db", content.length, [content.subarray(0, 1_000_001), content.subarray(1_000_001)]);
  await archive.addText("live.db.commit", "0000000000000007\n");
  const { size_bytes, sha256 } = await archive.finish();
  const all = Buffer.concat(parts);
  expect(size_bytes).toBe(all.length);
  expect(sha256).toBe(new Bun.CryptoHasher("sha256").update(all).digest("hex"));
  return all;
}

async function* inPieces(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

/** Reads an archive to its end. Returns its files and their content, or the exit code and message of the refusal. */
async function read(bytes: Uint8Array) {
  try {
    const archive = await openArchive(inPieces(bytes), "FILE");
    const files: Record<string, Buffer> = {};
    for await (const { name, content } of archive.entries) files[name] = Buffer.concat(await Array.fromAsync(content));
    return { manifest: archive.manifest, files };
  } catch (error) {
    const { exit_code, message } = error as { exit_code?: number; message: string };
    return { exit_code, message };
  }
}

const all = await written();

describe("an archive", () => {
  test("is read back as it was written", async () => {
    const found = await read(all);
    expect(found.manifest).toEqual({ format: 1, ...manifest });
    expect(Object.keys(found.files ?? {})).toEqual(["live.db", "live.db.commit"]);
    expect(found.files?.["live.db"]?.equals(content)).toBe(true);
  });

  test("is a tar that other programs can read, with checksums that they can verify", () => {
    const folder = mkdtempSync(join(tmpdir(), "packhouse-archive-"));
    try {
      writeFileSync(join(folder, "a.tar"), zstdDecompressSync(all));
      const run = (...words: string[]) => Bun.spawnSync(words, { cwd: folder }).exitCode;
      expect(run("tar", "-xf", "a.tar")).toBe(0);
      expect(readFileSync(join(folder, "live.db")).equals(content)).toBe(true);
      expect(run("sha256sum", "-c", "--strict", "SHA256SUMS")).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("skips content that is not read, but refuses it if it is damaged", async () => {
    const archive = await openArchive(inPieces(all), "FILE");
    const names: string[] = [];
    for await (const { name } of archive.entries) names.push(name);
    expect(names).toEqual(["live.db", "live.db.commit"]);
  });

  test("is named after its time", () => {
    const at = Date.parse("2026-11-24T17:30:00Z");
    expect(archiveName(at + 999)).toBe("packhouse-20261124T173000Z.tar.zst");
    expect(momentOfName(archiveName(at))).toBe(at);
    expect(momentOfName("packhouse-20261324T173000Z.tar.zst")).toBeNull();
    expect(momentOfName(".packhouse-20261124T173000Z.tar.zst.host-7.part")).toBeNull();
  });

  test("cannot be finished if a file does not have its declared size", async () => {
    const archive = await beginArchive({ write: async () => {} }, manifest);
    expect(archive.add("live.db", 10, [Buffer.alloc(9)])).rejects.toThrow("does not have its declared size");
  });

  test("fails while it is written if its destination cannot accept more", async () => {
    const full = Object.assign(new Error("no space left"), { code: "ENOSPC" });
    const write = async () => {
      throw full;
    };
    const archive = await beginArchive({ write }, manifest);
    const fill = async () => {
      for (let at = 0; at < 20; at += 1) await archive.add(`${at}`, content.length, [content]);
    };
    expect(fill()).rejects.toThrow("no space left");
  });
});

describe("refuses", () => {
  const damaged = { exit_code: 65, message: expect.stringContaining("FILE is damaged or incomplete") };
  const foreign = { exit_code: 78, message: "FILE is not a Packhouse backup." };

  test("one that is truncated anywhere", async () => {
    const cuts = Array.from({ length: 20 }, (_, at) => Math.floor((all.length * (at + 1)) / 21));
    // The last bytes are a checksum: without them, all content is still complete.
    const last = [1, 2, 3, 4].map((bytes) => all.length - bytes);
    for (const cut of [5, 400, ...cuts, ...last]) expect(await read(all.subarray(0, cut))).toEqual(damaged);
  });

  test("one with a changed byte", async () => {
    for (let at = 400; at < all.length; at += Math.floor(all.length / 20)) {
      const other = Buffer.from(all);
      other[at] = (other[at] ?? 0) ^ 16;
      expect(await read(other)).toEqual(damaged);
    }
  });

  test("one whose content does not match its checksums", async () => {
    const tar = zstdDecompressSync(all);
    const at = tar.indexOf("0000000000000007\n");
    tar.write("8", at + 15);
    expect(await read(zstdCompressSync(tar))).toEqual(damaged);
  });

  test("one with bytes after its end", async () => {
    for (const more of [all, Buffer.from("x"), Buffer.alloc(3), Buffer.alloc(30), Buffer.from("garbage")]) {
      expect(await read(Buffer.concat([all, more]))).toEqual(damaged);
    }
  });

  test("anything but a backup, and a newer format", async () => {
    expect(await read(Buffer.from("hello"))).toEqual(foreign);
    expect(await read(Buffer.alloc(0))).toEqual(foreign);
    expect(await read(zstdCompressSync(Buffer.from("hello ".repeat(200))))).toEqual(foreign);
    const tar = zstdDecompressSync(all);
    tar.write('"format": 3', tar.indexOf('"format": 1'));
    expect(await read(zstdCompressSync(tar))).toEqual({
      exit_code: 78,
      message: "FILE was written by a newer version of Packhouse. Restore it with that version.",
    });
  });
});
