// `packhouse doctor` as an operator runs it: each fault is created, and reported.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Glob } from "bun";
import pg from "pg";
import { default_secret_key, flagsOf, runCommand, type StartedService } from "../../../scripts/service.ts";
import { makeAuthority, makeCertificate } from "../../../src/core/certificates.ts";
import { engine } from "../../../src/core/config.ts";
import type { CheckResult } from "../../../src/operations/doctor/check.ts";
import { pngOf } from "../../files/images.ts";
import { client, startFreshService } from "../../flows/service.ts";

setDefaultTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), "packhouse-doctor-"));
let service: StartedService;
let key: string;
beforeAll(async () => {
  service = await startFreshService();
  key = service.first_keys.test;
});
afterAll(async () => {
  await service?.remove();
  rmSync(folder, { recursive: true });
});

/** Runs the doctor while the server runs. Returns its exit code, its output and its results. */
async function doctor(env: Record<string, string> = {}, words: string[] = [], data = service.data) {
  const place = flagsOf({ data, database_url: service.database_url });
  const { out, err, code } = await runCommand(["doctor", "--json", ...words, ...place], { env });
  if (!out.startsWith("{")) throw new Error(`doctor failed: ${out}${err}`);
  const { findings, problems } = JSON.parse(out) as { findings: CheckResult[]; problems: number };
  const of = (subject: string) => findings.filter((one) => one.subject === subject);
  return { code, out: out + err, problems, of };
}

/** Returns a port of this machine on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe("works", () => {
  test("finds no problem with a healthy server and its data, and reports each check", async () => {
    const { of } = await doctor({ PACKHOUSE_BASE_URL: "http://localhost" });
    expect(of("configuration")).toMatchObject([{ state: "ok" }]);
    expect(of("migrations (live)")).toMatchObject([{ state: "ok", advice: null }]);
    expect(of("data")).toEqual([]);
    expect(of("receivers")).toMatchObject([{ state: "ok" }]);
    if (engine === "sqlite") {
      expect(of("lock")[0]?.said).toEndWith(`(process ${service.pid})`);
      expect(of("file modes")).toMatchObject([{ state: "ok" }]);
      expect(of("disk speed")).toHaveLength(1);
    } else {
      expect(of("servers")).toMatchObject([{ state: "ok" }]);
      expect(of("connections")).toMatchObject([{ state: "ok" }]);
    }
  });

  test("every variable that the program reads is known", () => {
    const read = new Set<string>();
    for (const file of new Glob("src/**/*.ts").scanSync(join(import.meta.dir, "../../.."))) {
      const text = readFileSync(join(import.meta.dir, "../../..", file), "utf8");
      for (const [name] of text.matchAll(/PACKHOUSE_[A-Z][A-Z0-9_]*[A-Z0-9]/g)) read.add(name);
    }
    const set = Object.fromEntries([...read].map((name) => [name, ""]));
    expect(Object.keys(set).length).toBeGreaterThan(5);
    return doctor({ ...set, PACKHOUSE_SECRET_KEY: default_secret_key }).then(({ of }) =>
      expect(of("configuration").filter(({ said }) => said.includes("not a known setting"))).toEqual([]),
    );
  });
});

describe("finds", () => {
  test.if(engine === "sqlite")("that there is no data, and how to name or create it", async () => {
    const nowhere = join(folder, "nowhere");
    const { code, problems, of } = await doctor({ PACKHOUSE_BASE_URL: "http://localhost" }, [], nowhere);
    expect([code, problems, of("data")]).toEqual([
      1,
      1,
      [
        {
          ...{ subject: "data", state: "problem", said: `there is no Packhouse data in ${nowhere}` },
          advice: "Name its folder with --data, or create it with packhouse serve.",
        },
      ],
    ]);
  });

  test("a misspelled variable, with the correct name, and an invalid setting", async () => {
    const { code, of } = await doctor({ PACKHOUSE_BASEURL: "https://a.example", PACKHOUSE_GS1_PREFIX: "x" });
    expect(code).toBe(1);
    const [first, second] = of("configuration");
    expect(first).toMatchObject({ state: "problem", advice: "Use PACKHOUSE_BASE_URL." });
    expect(second).toMatchObject({ state: "problem", said: expect.stringContaining("PACKHOUSE_GS1_PREFIX") });
  });

  test("every setting that keeps serve from starting", async () => {
    const { code, of } = await doctor({
      ...{ PACKHOUSE_PORT: "abc", PACKHOUSE_LOG_LEVEL: "loud", PACKHOUSE_EVENT_RETENTION_DAYS: "900" },
      ...{ PACKHOUSE_DATABASE_CONNECTIONS: "1", PACKHOUSE_BACKUP_TO: "kept.tar.zst" },
    });
    expect(code).toBe(1);
    const said = of("configuration").map((one) => `${one.state} ${/--[\w-]+/.exec(one.said)?.[0]}`);
    expect(said.sort()).toEqual(
      ["backup-to", "database-connections", "event-retention-days", "log-level", "port"].map((it) => `problem --${it}`),
    );
  });

  test("an unreachable mail server, without showing its password", async () => {
    const url = `smtp://me:pass-word-1@127.0.0.1:${await closedPort()}`;
    const { code, of, out } = await doctor({ PACKHOUSE_SMTP_URL: url, PACKHOUSE_MAIL_TO: "a@b.example" });
    expect([code, of("mail")[0]?.state]).toEqual([1, "problem"]);
    expect(out).not.toContain("pass-word-1");
  });

  test("no problem with a mail server that responds, and sends it no email", async () => {
    const said: string[] = [];
    const server = createServer((socket) => {
      socket.write("220 mail.example\r\n");
      socket.on("data", (data) => {
        said.push(String(data));
        socket.write(/^QUIT/.test(String(data)) ? "221 bye\r\n" : "250 mail.example\r\n");
      });
      socket.on("error", () => {});
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { of } = await doctor({ PACKHOUSE_SMTP_URL: `smtp://127.0.0.1:${port}`, PACKHOUSE_MAIL_TO: "a@b.example" });
    expect(of("mail")).toMatchObject([{ state: "ok" }]);
    expect(said.join("")).not.toMatch(/MAIL FROM|DATA/);
    server.close();
  });

  test("a receiver at a closed port, without showing the path of its URL", async () => {
    const { must } = client(service.url, key);
    const url = `http://127.0.0.1:${await closedPort()}/hook/secret-path`;
    const { data } = await must("POST", "/webhooks", { url, events: ["inventory.updated"] });
    const { code, of, out } = await doctor();
    expect(code).toBe(1);
    expect(of("receiver")[0]?.said).toContain("cannot be reached: ECONNREFUSED");
    expect(out).not.toContain("secret-path");
    await must("DELETE", `/webhooks/${data.id}`);
  });

  test("an expired certificate, and a name that does not resolve", async () => {
    const then = Date.now() - 400 * 86_400_000;
    const authority = await makeAuthority("Test", ["test"], then);
    const made = await makeCertificate(authority, ["a.test"], then);
    const [cert, private_key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    writeFileSync(cert, made.cert);
    writeFileSync(private_key, made.key);
    const { of } = await doctor({ PACKHOUSE_BASE_URL: "https://nowhere.invalid" }, ["--tls-cert", cert]);
    expect(of("certificate")[0]).toMatchObject({ state: "problem", said: expect.stringContaining("expired") });
    expect(of("DNS")[0]).toMatchObject({ state: "problem", said: "nowhere.invalid does not resolve" });
  });

  test.if(engine === "sqlite")("files that other users could read before the data was opened", async () => {
    chmodSync(join(service.data, "live.db"), 0o644);
    const { code, of } = await doctor();
    expect([code, of("file modes")[0]?.state]).toEqual([1, "problem"]);
    expect(of("file modes")[0]?.said).toContain("live.db");
    chmodSync(join(service.data, "live.db"), 0o600);
  });

  test("a place of uploaded files that others can read, that has lost one, or that cannot be used", async () => {
    const place = join(folder, "uploads");
    const at = async (where = place, env = {}) => (await doctor(env, ["--files", where])).of("uploaded files");
    expect(await at()).toMatchObject([{ state: "warning", said: `${place} does not exist` }]);
    const headers = { authorization: `Bearer ${key}`, "content-type": "image/png" };
    const { data: file } = await fetch(`${service.url}/v1/files?kind=logo`, {
      ...{ method: "POST", headers, body: pngOf(40, 20) },
    }).then((answer) => answer.json() as Promise<{ data: { id: string } }>);
    const own = join(service.data, "files");
    expect((await doctor()).of("uploaded files")).toMatchObject([{ state: "ok", advice: null }]);
    cpSync(own, place, { recursive: true });
    expect(await at()).toMatchObject([{ state: "ok" }]);
    const [name = ""] = readdirSync(place, { recursive: true })
      .map(String)
      .filter((one) => /[0-9a-f]{32}$/.test(one));
    chmodSync(join(place, name), 0o644);
    expect(await at()).toMatchObject([{ state: "problem", said: `other users can access ${join(place, name)}` }]);
    renameSync(join(place, name), join(place, name.replace(/.{8}$/, "00000000")));
    chmodSync(join(place, name.replace(/.{8}$/, "00000000")), 0o600);
    const [usable, missing, stray] = await at();
    expect([usable?.state, missing, stray]).toMatchObject([
      "ok",
      { state: "problem", said: `the contents of ${file.id} are missing` },
      { state: "warning", said: "1 contents belong to no file" },
    ]);
    writeFileSync(join(folder, "no-folder"), "");
    expect(await at(join(folder, "no-folder"))).toMatchObject([{ state: "problem" }]);
    const access = { PACKHOUSE_S3_ACCESS_KEY_ID: "a", PACKHOUSE_S3_SECRET_ACCESS_KEY: "pass-word-3" };
    const endpoint = `http://127.0.0.1:${await closedPort()}`;
    const [gone] = await at("s3://nowhere/shop", { ...access, PACKHOUSE_S3_ENDPOINT: endpoint });
    expect(gone).toMatchObject({ state: "problem", advice: expect.stringContaining("PACKHOUSE_S3_ENDPOINT") });
    expect(gone?.said).toStartWith("nothing can be written in s3://nowhere/shop: ");
  });

  test("that the storage of uploaded files allows only some requests", async () => {
    const kept = new Map<string, string>();
    let refused = "";
    const storage = Bun.serve({
      ...{ port: 0, hostname: "127.0.0.1" },
      fetch: async (request) => {
        const { pathname, searchParams } = new URL(request.url);
        const action = searchParams.has("list-type") ? "LIST" : request.method;
        if (action === refused) return new Response("<Error><Code>AccessDenied</Code></Error>", { status: 403 });
        if (action === "PUT") kept.set(pathname, await request.text());
        if (action === "DELETE") kept.delete(pathname);
        const keys = [...kept.keys()].map((path) => `<Contents><Key>${path.replace("/kept/", "")}</Key></Contents>`);
        if (action !== "GET") return new Response(keys.join(""));
        const found = kept.get(pathname);
        return new Response(found ?? "<Error><Code>NoSuchKey</Code></Error>", {
          status: found === undefined ? 404 : 200,
        });
      },
    });
    const access = { PACKHOUSE_S3_ACCESS_KEY_ID: "a", PACKHOUSE_S3_SECRET_ACCESS_KEY: "b" };
    const env = { ...access, PACKHOUSE_S3_ENDPOINT: `http://127.0.0.1:${storage.port}` };
    const steps = { PUT: "written", GET: "read", LIST: "listed", DELETE: "removed" };
    for (const [action, step] of Object.entries(steps)) {
      refused = action;
      const [found] = (await doctor(env, ["--files", "s3://kept/shop"])).of("uploaded files");
      expect([found?.state, found?.said]).toEqual([
        "problem",
        expect.stringMatching(new RegExp(`^nothing can be ${step} in s3://kept/shop: .*403 AccessDenied`)),
      ]);
    }
    refused = "";
    const [found] = (await doctor(env, ["--files", "s3://kept/shop"])).of("uploaded files");
    expect([found?.state, kept.size]).toEqual(["ok", 0]);
    await storage.stop(true);
  });

  const may_mount = process.platform === "linux" && process.getuid?.() === 0;
  test.if(engine === "sqlite" && may_mount)("a full disk", async () => {
    const small = join(folder, "small");
    mkdirSync(small);
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", small]).status === 0;
    if (!mounted) return console.log("SKIPPED a full disk: nothing can be mounted here");
    try {
      const { of } = await doctor({}, [], small);
      expect(of("disk room")[0]).toMatchObject({ state: "problem", said: expect.stringContaining("are free") });
    } finally {
      spawnSync("umount", [small]);
    }
  });

  test.if(engine === "postgres")(
    "settings of PostgreSQL, a read-only database, and one that is unreachable",
    async () => {
      const { of } = await doctor();
      const said = of("PostgreSQL").map((one) => one.said);
      // The PostgreSQL of the tests does not survive a crash of the machine.
      expect(said.some((line) => line.startsWith("fsync is off"))).toBe(true);
      const admin = new pg.Client({ connectionString: service.database_url ?? "" });
      await admin.connect();
      const name = new URL(service.database_url ?? "").pathname.slice(1);
      await admin.query(`alter database ${name} set default_transaction_read_only = on`);
      const only_read = (await doctor()).of("PostgreSQL").map((one) => one.said);
      expect(only_read).toContain("default_transaction_read_only is on: nothing can be written");
      await admin.query("set default_transaction_read_only = off");
      await admin.query(`alter database ${name} set default_transaction_read_only = off`);
      await admin.end();
      const away = `postgres://me:pass-word-2@127.0.0.1:${await closedPort()}/x`;
      const gone = await doctor({}, ["--database-url", away]);
      expect([gone.code, gone.of("PostgreSQL")[0]?.state]).toEqual([1, "problem"]);
      expect(gone.out).not.toContain("pass-word-2");
    },
  );

  test.if(engine === "postgres")("more connections than PostgreSQL allows", async () => {
    const { of } = await doctor({}, ["--database-connections", "200"]);
    const [found] = of("connections");
    expect(found?.state).toBe("warning");
    expect(found?.advice).toContain("--database-connections");
  });
});
