// Backups in a bucket of an S3-compatible storage that checks signatures.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "@20minutes/s3rver";
import { bucketDestination } from "../../../src/operations/backups/bucket_destination.ts";
import { openBucket } from "../../../src/outbound/s3.ts";

const directory = mkdtempSync(join(tmpdir(), "packhouse-bucket-"));
const configureBuckets = [{ name: "kept", configs: [] }];
const server = new S3rver({ port: 0, address: "127.0.0.1", silent: true, directory, configureBuckets });
const { port } = await server.run();
const endpoint = `http://127.0.0.1:${port}`;
const access = { endpoint, region: "us-east-1", bucket: "kept", access_key_id: "S3RVER", secret_access_key: "S3RVER" };
const bucket = openBucket(access);
const place = bucketDestination(access, "packhouse/live", "s3://kept/packhouse/live");
const at = Date.parse("2026-11-24T17:30:00Z");

afterAll(async () => {
  await server.close();
  rmSync(directory, { recursive: true });
});

test("a backup of several parts exists once it is kept, with the bytes that were written", async () => {
  const content = Buffer.alloc(20 * 1024 * 1024, "abcdefg");
  const draft = await place.begin(at);
  for (let from = 0; from < content.length; from += 1_000_000) {
    await draft.write(content.subarray(from, from + 1_000_000));
  }
  expect(await place.list()).toEqual([]);
  await draft.keep();
  await draft.drop();
  const name = "packhouse-20261124T173000Z.tar.zst";
  expect(draft.place).toBe(`s3://kept/packhouse/live/${name}`);
  expect(await place.list()).toEqual([{ name, size_bytes: content.length }]);
  const read = Buffer.concat(await Array.fromAsync(bucket.read(`packhouse/live/${name}`)));
  expect(read.equals(content)).toBe(true);
  // Another one in the same second gets its own name.
  const second = await place.begin(at);
  await second.write(Buffer.from("more"));
  await second.keep();
  expect((await place.list()).map((one) => one.name)).toEqual([name, "packhouse-20261124T173001Z.tar.zst"]);
  await place.remove(name);
  expect((await place.list()).length).toBe(1);
});

test("an abandoned backup leaves nothing", async () => {
  const before = await place.list();
  const draft = await place.begin(at);
  await draft.write(Buffer.alloc(9 * 1024 * 1024));
  await draft.drop();
  expect(await place.list()).toEqual(before);
});

test("refuses with the message of the storage, without the secret", async () => {
  const refusal = async (wrong: Partial<typeof access>) => {
    const error = await bucketDestination({ ...access, ...wrong }, "", "s3://kept")
      .begin(at)
      .then(
        () => null,
        (problem: Error & { exit_code: number }) => problem,
      );
    expect(error?.exit_code).toBe(74);
    expect(error?.message).not.toContain("sesame");
    return error?.message;
  };
  expect(await refusal({ secret_access_key: "sesame" })).toContain("403 SignatureDoesNotMatch");
  expect(await refusal({ bucket: "gone" })).toContain("404 NoSuchBucket");
});

test.each([[true], [false]])(
  "an interrupted download continues where it stopped (length known: %p)",
  async (has_length) => {
    const content = Buffer.from("0123456789".repeat(50_000));
    const asked: (string | null)[] = [];
    let sent = 0;
    // Each response ends after a part of its declared length.
    const server = createServer((request, response) => {
      asked.push(request.headers.range ?? null);
      const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
      const rest = content.subarray(from);
      const length = has_length ? { "content-length": rest.length } : {};
      response.writeHead(from === 0 ? 200 : 206, { etag: '"one"', ...length });
      sent += 1;
      if (sent > 3) return void response.end(rest);
      response.write(rest.subarray(0, 120_000), () => setTimeout(() => response.destroy(), 50));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const broken = openBucket({ ...access, endpoint: `http://127.0.0.1:${port}` });
    const read = Buffer.concat(await Array.fromAsync(broken.read("some/key")));
    expect(read.equals(content)).toBe(true);
    expect(asked.slice(0, 2)).toEqual([null, expect.stringMatching(/^bytes=\d+-$/)]);
    expect(asked.length).toBe(4);
    server.close();
    server.closeAllConnections();
    const lost = await Array.fromAsync(broken.read("some/key")).catch((error) => error);
    expect([lost.exit_code, lost.message]).toEqual([74, expect.stringContaining("cannot be reached")]);
  },
  60_000,
);
