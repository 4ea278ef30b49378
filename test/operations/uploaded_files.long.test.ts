// Uploaded files survive what happens to an installation: a kill, a restore to another place, and a move.
import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "@20minutes/s3rver";
import { flagsOf, runCommand, type StartedService, startService } from "../../scripts/service.ts";
import { engine } from "../../src/core/config.ts";
import { administered } from "../../src/storage/postgres/postgres_programs.ts";
import { pngOf } from "../files/images.ts";
import { client, freshDatabase } from "../flows/service.ts";

setDefaultTimeout(180_000);

const root = mkdtempSync(join(tmpdir(), "packhouse-uploaded-"));
const directory = join(root, "s3");
const configureBuckets = [{ name: "kept", configs: [] }];
const storage = new S3rver({ port: 0, address: "127.0.0.1", silent: true, directory, configureBuckets });
const { port } = await storage.run();
const env = {
  PACKHOUSE_S3_ENDPOINT: `http://127.0.0.1:${port}`,
  PACKHOUSE_S3_ACCESS_KEY_ID: "S3RVER",
  PACKHOUSE_S3_SECRET_ACCESS_KEY: "S3RVER",
};
afterAll(async () => {
  await storage.close();
  rmSync(root, { recursive: true });
});
const canDump = engine === "sqlite" || (Bun.which("pg_dump") !== null && Bun.which("pg_restore") !== null);
if (!canDump) console.warn("SKIPPED restores of PostgreSQL: pg_dump and pg_restore are not on this machine");

interface Place {
  readonly data: string;
  readonly database_url: string | null;
}
let places = 0;
const newFolder = () => join(root, `folder-${++places}`);
const newPlace = async (): Promise<Place> => ({ data: newFolder(), database_url: await freshDatabase() });
const run = (place: Place, ...words: string[]) => runCommand([...words, ...flagsOf(place)], { env });
const startAt = (place: Place, files?: string) =>
  startService({ ...place, env: { ...env, ...(files !== undefined && { PACKHOUSE_FILES: files }) } });

/** Uploads a logo in each environment. Returns the links to their contents without the server. */
async function uploadTwo(service: StartedService): Promise<readonly string[]> {
  return Promise.all(
    (["live", "test"] as const).map(async (mode, at) => {
      const { data } = await upload(service.url, await service.makeKey(mode), pngOf(40, 20, at + 1));
      const { pathname, search } = new URL(data.url);
      return pathname + search;
    }),
  );
}

async function upload(url: string, key: string, body: Uint8Array) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "image/png" };
  const answer = await fetch(`${url}/v1/files?kind=logo`, { method: "POST", headers, body });
  return (await answer.json()) as { data: { id: string; url: string } };
}

/** The statuses with which a server responds to the links, after it was started at a place. */
async function served(place: Place, links: readonly string[], files?: string): Promise<number[]> {
  const service = await startAt(place, files);
  const found = await Promise.all(links.map(async (link) => (await fetch(new URL(link, service.url))).status));
  await service.stop();
  return found;
}

/** All files below a folder. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((name) => statSync(name, { throwIfNoEntry: false })?.isFile() === true);
const modesIn = (folder: string) => filesIn(folder).map((name) => statSync(name).mode & 0o777);

/** Runs SQL on the live data while no server runs. */
async function changeLive({ data, database_url }: Place, sql: string): Promise<void> {
  if (database_url !== null) await administered(database_url, (admin) => admin.ask(sql.replace("files", "live.files")));
  else {
    using raw = new Database(join(data, "live.db"));
    raw.run(sql);
  }
}

test.if(canDump)("a restore brings them to the named place, from the backup or from a bucket", async () => {
  const first = await newPlace();
  const service = await startAt(first);
  const links = await uploadTwo(service);
  await service.stop();
  const archive = join(root, "kept.tar.zst");
  expect(await run(first, "backup", archive)).toMatchObject({ code: 0 });

  // From the backup to a bucket.
  const [second, bucket] = [await newPlace(), "s3://kept/shop"];
  const restored = await run(second, "restore", archive, "--files", bucket);
  expect([restored.err, restored.out]).toEqual([
    "",
    expect.stringContaining(`Uploaded files: 2 restored to ${bucket}. Start with --files.`),
  ]);
  expect(readdirSync(second.data)).not.toContain("files");
  expect(await served(second, links, bucket)).toEqual([200, 200]);

  // A backup of that installation only names the bucket: its files are copied from there.
  const named = join(root, "named.tar.zst");
  expect(await run(second, "backup", named, "--files", bucket)).toMatchObject({ code: 0 });
  const [third, folder] = [await newPlace(), newFolder()];
  const copied = await run(third, "restore", named, "--files", folder);
  expect([copied.code, copied.out]).toEqual([0, expect.stringContaining(`Uploaded files: 2 restored to ${folder}.`)]);
  expect([modesIn(folder), await served(third, links, folder)]).toEqual([
    [0o600, 0o600],
    [200, 200],
  ]);
  const same = await run(await newPlace(), "restore", named, "--files", bucket);
  expect([same.code, same.out.includes("restored to")]).toEqual([0, false]);

  // A file whose content is nowhere is reported.
  const [lost = ""] = readdirSync(join(folder, "live"));
  rmSync(join(folder, "live", lost), { recursive: true });
  const partial = join(root, "partial.tar.zst");
  expect(await run(third, "backup", partial, "--files", folder)).toMatchObject({ code: 0 });
  const place = flagsOf({ database_url: await freshDatabase() });
  const [whole, proof] = [archive, partial].map((file) => runCommand(["backup", "verify", file, ...place], { env }));
  expect(await whole).toMatchObject({ code: 0 });
  expect(await proof).toMatchObject({
    ...{ code: 1, out: expect.stringContaining("the backup has the content of every uploaded file") },
  });
  const missing = await run(await newPlace(), "restore", partial);
  expect([missing.code, missing.out]).toEqual([0, expect.stringContaining("1 uploaded files are not in the backup")]);
});

test("a move brings them along, also to another engine and into a bucket", async () => {
  const source = { data: newFolder(), database_url: null };
  const service = await startService({ ...source, env });
  const links = await uploadTwo(service);
  await service.stop();
  const [target, bucket] = [await newPlace(), "s3://kept/moved"];
  const to = target.database_url ?? target.data;
  const move = (...words: string[]) => runCommand(["move", "--from", source.data, "--to", to, ...words], { env });
  if (target.database_url !== null) {
    const refused = await move();
    expect([refused.code, refused.err]).toEqual([78, expect.stringContaining("has uploaded files")]);
  }
  const moved = await move("--files-to", bucket);
  expect([moved.code, moved.out]).toEqual([0, expect.stringContaining("Uploaded files: 2 copied and compared.")]);
  expect(await served(target, links, bucket)).toEqual([200, 200]);
  // And back, from the bucket into a data directory.
  const back = { data: newFolder(), database_url: null };
  const ends = ["move", "--from", to, "--to", back.data, "--files-from", bucket];
  expect(await runCommand(ends, { env })).toMatchObject({ code: 0 });
  expect(await served(back, links)).toEqual([200, 200]);
});

test("uploads that were killed leave nothing for ever", async () => {
  const [place, folder] = [await newPlace(), newFolder()];
  mkdirSync(folder, { mode: 0o700 });
  const stored: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    const service = await startAt(place, folder);
    const key = await service.makeKey("live");
    const [before, acknowledged] = [filesIn(folder).length, stored.length];
    const uploads = Array.from({ length: 8 }, (_, at) =>
      upload(service.url, key, pngOf(400 + round, 400 + at, at + 1)).then(
        ({ data }) => stored.push(new URL(data.url).pathname + new URL(data.url).search),
        () => {},
      ),
    );
    // Killed while a content is written in even rounds, and after an acknowledgement in odd ones.
    const isTime = () => (round % 2 === 0 ? filesIn(folder).length > before : stored.length > acknowledged);
    for (let tries = 0; tries < 20_000 && !isTime(); tries += 1) await Bun.sleep(1);
    await service.kill();
    await Promise.all(uploads);
  }
  expect(stored.length).toBeGreaterThan(0);
  expect(filesIn(folder).length).toBeGreaterThan(stored.length);
  expect(await served(place, stored, folder)).toEqual(stored.map(() => 200));
  await changeLive(place, "update files set remove_at = 1");
  const service = await startAt(place, folder);
  for (let tries = 0; tries < 1200 && filesIn(folder).length > 0; tries += 1) await Bun.sleep(50);
  expect(filesIn(folder)).toEqual([]);
  const api = client(service.url, await service.makeKey("live"));
  expect((await api.must("GET", "/files")).data).toEqual([]);
  await service.stop();
});
