// Where contents are kept: a folder and a bucket behave alike. And when they are removed.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "@20minutes/s3rver";
import { day_ms, minute_ms } from "../../src/core/time.ts";
import { bucketContents } from "../../src/files/file_bucket.ts";
import { type FileContents, folderContents, listContents } from "../../src/storage/file_contents.ts";
import { openApp } from "../build/service.ts";
import { pngOf } from "./images.ts";

// Each step is several requests, possibly on a busy machine.
setDefaultTimeout(60_000);

const root = mkdtempSync(join(tmpdir(), "packhouse-contents-"));
const server = new S3rver({
  ...{ port: 0, address: "127.0.0.1", silent: true, directory: join(root, "s3") },
  configureBuckets: [{ name: "kept", configs: [] }],
});
const { port } = await server.run();
const access = {
  ...{ endpoint: `http://127.0.0.1:${port}`, region: "us-east-1", bucket: "kept" },
  ...{ access_key_id: "S3RVER", secret_access_key: "S3RVER" },
};
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

const key = "0123456789abcdef0123456789abcdef";
const places: readonly (readonly [string, FileContents])[] = [
  ["a folder", folderContents(join(root, "folder"))],
  ["a bucket", bucketContents(access, "shop/files", "s3://kept/shop/files")],
];

describe.each(places)("%s", (_, contents) => {
  test("keeps contents apart by environment, and forgets what was removed", async () => {
    await contents.write("live", key, Buffer.from("live"));
    await contents.write("test", key, Buffer.from("test"));
    expect(Buffer.from((await contents.read("live", key)) ?? []).toString()).toBe("live");
    expect([await contents.list("live"), await contents.list("test")]).toEqual([[key], [key]]);
    await contents.remove("live", key);
    await contents.remove("live", key);
    expect([await contents.read("live", key), await contents.list("live")]).toEqual([null, []]);
    expect(Buffer.from((await contents.read("test", key)) ?? []).toString()).toBe("test");
  });

  test("serves uploads, and loses them a day after nothing uses them", async () => {
    const app = await openApp({ files: contents });
    const headers = { "content-type": "image/png" };
    const uploaded = async (color: number) =>
      (await app.call("POST", "/files?kind=logo", pngOf(12, 12, color), { headers })).body.data;
    const contentOf = async ({ url }: { url: string }) =>
      (await app.app.handle(new Request(new URL(url, "http://packhouse.test").href))).status;
    const [used, unused, deleted] = [await uploaded(1), await uploaded(2), await uploaded(3)];
    await app.must("PATCH", "/merchants/MAIN/branding", { logo_file_id: used.id });
    await app.must("DELETE", `/files/${deleted.id}`);
    const refused = await app.call("DELETE", `/files/${used.id}`);
    expect([refused.status, refused.body.error.code]).toEqual([409, "file_in_use"]);
    app.clocks.live.step(day_ms - minute_ms);
    await app.runJobs();
    expect([await contentOf(used), await contentOf(unused), await contentOf(deleted)]).toEqual([200, 200, 404]);
    app.clocks.live.step(2 * minute_ms);
    await app.runJobs();
    expect([await contentOf(used), await contentOf(unused), await contentOf(deleted)]).toEqual([200, 404, 404]);
    // A replaced logo is kept for a day, and used again by a later upload of it.
    const next = await uploaded(4);
    await app.must("PATCH", "/merchants/MAIN/branding", { logo_file_id: next.id });
    expect((await uploaded(1)).id).toBe(used.id);
    await app.must("PATCH", "/merchants/MAIN/branding", { logo_file_id: null });
    app.clocks.live.step(2 * day_ms);
    await app.runJobs();
    expect((await app.get("/files")).body.data).toEqual([]);
  });
});

test("a folder is private, and its list leaves out what is still being written", async () => {
  const folder = join(root, "private");
  await folderContents(folder).write("live", key, Buffer.from("content"));
  const [path, inner] = [join(folder, "live"), join(folder, "live", "01")];
  expect([folder, path, inner].map((one) => statSync(one).mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
  expect(statSync(join(inner, key)).mode & 0o777).toBe(0o600);
  writeFileSync(join(inner, `${key}.part`), "half");
  expect(await listContents(folder)).toEqual([{ mode: "live", key, size_bytes: 7 }]);
  await folderContents(folder).remove("live", key);
  expect(readdirSync(inner)).toEqual([]);
  expect(await listContents(join(root, "absent"))).toEqual([]);
});

describe("a crash", () => {
  test("between the row and the content, or after the content, leaves nothing behind after a day", async () => {
    const folder = join(root, "crash");
    const inner = folderContents(folder);
    let fails: "before" | "after" | null = null;
    const contents: FileContents = {
      ...inner,
      async write(mode, name, bytes) {
        if (fails === "before") throw new Error("killed before the content");
        await inner.write(mode, name, bytes);
        if (fails === "after") throw new Error("killed after the content");
      },
    };
    const app = await openApp({ files: contents });
    const headers = { "content-type": "image/png" };
    const upload = (color: number) => app.call("POST", "/files?kind=logo", pngOf(12, 12, color), { headers });
    for (const [at, how] of (["before", "after"] as const).entries()) {
      fails = how;
      const { status, body } = await upload(at);
      expect([status, body.error.code]).toEqual([503, "storage_unavailable"]);
    }
    expect((await app.get("/files")).body.data).toEqual([]);
    expect(await listContents(folder)).toHaveLength(1);
    // The same upload again succeeds.
    fails = null;
    expect((await upload(0)).status).toBe(201);
    app.clocks.live.step(2 * day_ms);
    await app.runJobs();
    expect(await listContents(folder)).toEqual([]);
    expect(readdirSync(join(folder, "live"), { recursive: true }).filter((name) => String(name).length > 10)).toEqual(
      [],
    );
  });

  test("of a removal is made up for when its claim has ended", async () => {
    const inner = folderContents(join(root, "removal"));
    let broken = true;
    const contents: FileContents = {
      ...inner,
      remove: (mode, name) => (broken ? Promise.reject(new Error("the bucket is away")) : inner.remove(mode, name)),
    };
    const app = await openApp({ files: contents });
    const { id } = (
      await app.call("POST", "/files?kind=logo", pngOf(9, 9), { headers: { "content-type": "image/png" } })
    ).body.data;
    app.clocks.live.step(2 * day_ms);
    await app.runJobs();
    // From the claim on it is deleted, so that nobody begins to use what is about to go.
    expect((await app.get(`/files/${id}`)).status).toBe(404);
    expect((await app.patch("/merchants/MAIN/branding", { logo_file_id: id })).status).toBe(404);
    expect(await listContents(join(root, "removal"))).toHaveLength(1);
    broken = false;
    app.clocks.live.step(6 * minute_ms);
    await app.runJobs();
    expect(await listContents(join(root, "removal"))).toEqual([]);
  });
});
