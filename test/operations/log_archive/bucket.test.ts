// A service that archives to a bucket loses its disk, and is restored from the bucket to a point in time.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "@20minutes/s3rver";
import { runCommand, startService } from "../../../scripts/service.ts";
import { engine } from "../../../src/core/config.ts";

if (engine === "sqlite")
  test("an archive in a bucket restores any time, and the latest", async () => {
    const root = mkdtempSync(join(tmpdir(), "packhouse-shipped-bucket-"));
    mkdirSync(join(root, "bucket"));
    const server = new S3rver({
      ...{ port: 0, address: "127.0.0.1", silent: true, directory: join(root, "bucket") },
      configureBuckets: [{ name: "kept", configs: [] }],
    });
    const { port } = await server.run();
    const access = {
      PACKHOUSE_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      PACKHOUSE_S3_ACCESS_KEY_ID: "S3RVER",
      PACKHOUSE_S3_SECRET_ACCESS_KEY: "S3RVER",
    };
    const run = async (...words: string[]) => {
      const { out, err, code } = await runCommand(words, { env: access });
      expect([err, code]).toEqual(["", 0]);
      return out;
    };
    const to = "s3://kept/north/house";
    const [data, into] = [join(root, "data"), join(root, "into")];
    try {
      const service = await startService({
        data,
        env: { ...access, PACKHOUSE_BACKUP_TO: to, PACKHOUSE_CONTINUOUS: "1" },
      });
      const authorization = `Bearer ${service.first_keys.live}`;
      const shippedUntil = async () => {
        const answer = await fetch(`${service.url}/v1/backups/settings`, { headers: { authorization } });
        return ((await answer.json()) as { data: { continuous: { shipped_until: string | null } } }).data.continuous;
      };
      while ((await shippedUntil()).shipped_until === null) await Bun.sleep(100);
      await run("keys", "create", "--name", "before", "--mode", "live", "--data", data);
      const moment = new Date().toISOString();
      await run("keys", "create", "--name", "after", "--mode", "live", "--data", data);
      expect(await service.stop()).toBe(0);
      rmSync(data, { recursive: true });

      expect(await run("backup", "moments", to)).toContain("live  from ");
      await run("restore", to, "--to", moment, "--into", into);
      const listed = await run("keys", "list", "--data", into);
      expect(listed).toContain("before");
      expect(listed).not.toContain("after");
      rmSync(into, { recursive: true });
      await run("restore", to, "--to", "latest", "--into", into);
      expect(await run("keys", "list", "--data", into)).toContain("after");
      await run("verify", "--data", into);
      expect(existsSync(join(root, "bucket", "kept", "north", "house"))).toBe(true);
    } finally {
      await server.close();
      rmSync(root, { recursive: true, force: true });
    }
  }, 60_000);
