// The front end as it is built and served, and whether the routes it calls exist.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { ensureWeb, webBuilt } from "../../../scripts/web.ts";
import { routesOf } from "../../../src/http/route.ts";
import { openTestApp, type TestApp } from "../../build/service.ts";
import { parse, readSources } from "../../tidy/source.ts";
import { callsOf, reaches } from "../calls.ts";

let app: TestApp;
beforeAll(async () => {
  await ensureWeb();
  app = await openTestApp();
});
afterAll(() => app.close());

const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  app.app.handle(new Request(`http://packhouse.test${path}`, { method, headers }));

/** An asset as it is, whatever form it was built in. */
function built(name: string): Buffer {
  const file = join(webBuilt, "assets", name);
  return existsSync(file) ? readFileSync(file) : brotliDecompressSync(readFileSync(`${file}.br`));
}

/** The assets that the page names, and those that they load with them. */
function loadedAtOnce(): string[] {
  const named = (text: string) => [...text.matchAll(/\/dashboard\/assets\/([\w.-]+)/g)].map(([, name = ""]) => name);
  const found = new Set(named(readFileSync(join(webBuilt, "index.html"), "utf8")));
  for (const name of found) {
    if (!name.endsWith(".js")) continue;
    const text = built(name).toString();
    for (const [, from = ""] of text.matchAll(/(?:from|import)\s*"\/dashboard\/assets\/([\w.-]+)"/g)) found.add(from);
  }
  return [...found];
}

describe("the page", () => {
  test("is served at every address of a screen with its policy, and as 304 to clients that have it", async () => {
    for (const path of ["/dashboard", "/dashboard/", "/dashboard/orders", "/dashboard/stock/TEA%2E1"]) {
      const answer = await ask(path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(answer.headers.get("cache-control")).toBe("no-cache");
      expect(answer.headers.get("x-frame-options")).toBe("DENY");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(answer.headers.get("referrer-policy")).toBe("same-origin");
      const policy = answer.headers.get("content-security-policy") ?? "";
      // WebAssembly may be compiled, which allows no script from text.
      for (const rule of ["default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "frame-ancestors 'none'"]) {
        expect(policy.split("; ")).toContain(rule);
      }
      expect(policy.replace(" 'wasm-unsafe-eval'", "")).not.toContain("unsafe");
      const again = await ask(path, { "if-none-match": answer.headers.get("etag") ?? "" });
      expect([again.status, await again.text()]).toEqual([304, ""]);
      const head = await ask(path, {}, "HEAD");
      expect([head.status, await head.text()]).toEqual([200, ""]);
    }
  });

  test("has no inline script or style, and names no other host", () => {
    const html = readFileSync(join(webBuilt, "index.html"), "utf8");
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bon\w+=|https?:\/\//);
  });

  test("is never served in place of a file", async () => {
    const paths = ["/dashboard/assets/no.js", "/dashboard/app.js", "/dashboard/assets/", "/dashboard/api/none"];
    for (const path of paths) {
      const answer = await ask(path);
      expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 404, "application/json"]);
    }
  });
});

describe("its assets", () => {
  test("are sent in the smallest form that the client accepts, cacheable forever", async () => {
    const name = loadedAtOnce().find((one) => one.endsWith(".js")) ?? "";
    const plain = built(name);
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync, none: (bytes: Uint8Array) => bytes };
    for (const [accepts, encoding] of [
      ["gzip, deflate, br, zstd", "br"],
      ["br;q=0.5, gzip", "gzip"],
      ["br;q=0, gzip;q=0.1", "gzip"],
      ["br;q=0, gzip;q=0, *", "none"],
      ["identity", "none"],
      ["*", "br"],
    ] as const) {
      const answer = await ask(`/dashboard/assets/${name}`, { "accept-encoding": accepts });
      expect([accepts, answer.headers.get("content-encoding") ?? "none"]).toEqual([accepts, encoding]);
      expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
      expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(answer.headers.get("vary")).toBe("Accept-Encoding");
      expect(Buffer.from(unpack[encoding](await answer.bytes())).equals(plain)).toBe(true);
    }
  });

  test("are built in one form each, and sent uncompressed where compression would not help", async () => {
    const names = readdirSync(join(webBuilt, "assets"));
    const pictures = names.filter((name) => !name.endsWith(".br"));
    expect(pictures.filter((name) => names.includes(`${name}.br`) || names.includes(`${name}.gz`))).toEqual([]);
    for (const name of pictures.slice(0, 3)) {
      const answer = await ask(`/dashboard/assets/${name}`, { "accept-encoding": "br, gzip" });
      expect([name, answer.status, answer.headers.get("content-encoding")]).toEqual([name, 200, null]);
      expect(Buffer.from(await answer.bytes()).equals(built(name))).toBe(true);
    }
  });

  test("that are loaded first stay within 90 KB", () => {
    const sizes = loadedAtOnce()
      .filter((name) => name.endsWith(".js"))
      .map((name) => readFileSync(join(webBuilt, "assets", `${name}.br`)).byteLength);
    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(90_000);
  });
});

describe("its styles", () => {
  test("are written so that the build leaves their weight as it is", () => {
    const name = loadedAtOnce().find((one) => one.endsWith(".css")) ?? "";
    const css = built(name).toString();
    // What `:is()` and nested rules become: these weigh as much as a class, whatever they hold.
    expect(css.match(/[^{}]*:-(?:webkit|moz)-any\([^{}]*/g) ?? []).toEqual([]);
  });
});

describe("the screens", () => {
  const web = join(import.meta.dir, "../../../src/dashboard/web");
  /** The rows. The types of the front end are checked on their own, so its files are not imported by name. */
  const readScreens = async (): Promise<readonly { path: string; load: unknown; name?: string }[]> =>
    (await import(join(web, "screens/screens.ts"))).screens;

  test("are each reached by their own path: none is listed twice or hidden by a parameter before it", async () => {
    const paths = (await readScreens()).map(({ path }) => path);
    const covers = (pattern: string, path: string) => {
      const [wanted, parts] = [pattern.split("/"), path.split("/")];
      return wanted.length === parts.length && wanted.every((part, at) => part.startsWith(":") || part === parts[at]);
    };
    expect(paths.length).toBeGreaterThan(50);
    expect(paths.filter((path, at) => paths.findIndex((one) => covers(one, path)) !== at)).toEqual([]);
  });

  test("are exported by their files: one, or the one that the row names", async () => {
    const wrong: string[] = [];
    for (const { path, load, name } of await readScreens()) {
      const [, file = ""] = /import\("([^"]+)"\)/.exec(String(load)) ?? [];
      const text = await Bun.file(join(web, "screens", file)).text();
      const exported = [...text.matchAll(/^export (?:function|const) (\w+Screen)\b/gm)].map(([, found]) => found);
      if (name === undefined ? exported.length !== 1 : !exported.includes(name)) wrong.push(path);
    }
    expect(wrong).toEqual([]);
  });
});

describe("what it calls", () => {
  const names = () => routesOf(app.app.routes).map(({ name }) => name);

  test("exists with that method", async () => {
    const sources = await readSources(join(import.meta.dir, "../../.."));
    const screens = sources.filter(({ file }) => /^src\/dashboard\/web\/(?:screens|shell)\//.test(file));
    const calls = screens.flatMap(callsOf);
    expect(calls.length).toBeGreaterThan(0);
    const routes = names();
    expect(calls.filter((call) => !routes.some((route) => reaches(route, call)))).toEqual([]);
  });

  test("is recognized in every form in which it is written", () => {
    const text = [
      'useQuery<Order>("/orders/none/no");',
      "post(`/orders/${id}/eat`, {});",
      'const path = busy ? "/no" : null; useQuery(path);',
      'const list = <ListPage path="/nothing" />;',
      "put(unknown, {});",
      'const act = { method: "POST", path: `/orders/${id}/drink`, body };',
      'interface Kind { readonly file: "/orders" | "/none" }; saveFile(kind.file);',
      "const above = `/orders/${id}`; patch(`${above}/lines/${line}`, {});",
      'get("/orders"); post(`/orders/${id}/hold`); useQuery(`/orders/${id}?x=1`); useQuery(null);',
    ].join("\n");
    const calls = callsOf(parse("src/dashboard/web/screens/a.tsx", text));
    const missing = calls.filter((call) => !names().some((route) => reaches(route, call)));
    expect(missing.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      ...["GET /no", "GET /none", "GET /nothing", "GET /orders/none/no", "PATCH /orders/*/lines/*"],
      ...["POST /orders/*/drink", "POST /orders/*/eat", "PUT null"],
    ]);
  });
});
