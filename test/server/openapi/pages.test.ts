// The HTML pages are public, load nothing from other hosts, and explain every error code.
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { faults } from "../../../src/core/faults.ts";
import { openTestApp } from "../../build/service.ts";

const app = await openTestApp();
afterAll(() => app.close());

const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  app.app.handle(new Request(`http://packhouse.test${path}`, { method, headers }));

describe("works", () => {
  test.each([
    ["/", "text/html; charset=utf-8"],
    ["/docs", "text/html; charset=utf-8"],
    ["/docs/", "text/html; charset=utf-8"],
    ["/docs/errors", "text/html; charset=utf-8"],
    ["/docs/guides", "text/html; charset=utf-8"],
    ["/docs/guides/webhooks", "text/html; charset=utf-8"],
    ["/docs/guides/webhooks.md", "text/markdown; charset=utf-8"],
    ["/llms.txt", "text/plain; charset=utf-8"],
    ["/docs/start.js", "text/javascript; charset=utf-8"],
    ["/docs/scalar.js", "text/javascript; charset=utf-8"],
  ])("%s is served without a key, and cached by its ETag", async (path, type) => {
    const page = await ask(path);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, type]);
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    expect((await ask(path, {}, "HEAD")).status).toBe(200);
    const etag = page.headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    expect((await ask(path, { "if-none-match": etag })).status).toBe(304);
    const packed = await ask(path, { "accept-encoding": "gzip" });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(Bun.gunzipSync(await packed.arrayBuffer())).toEqual(new Uint8Array(await page.arrayBuffer()));
  });

  test("the page at / shows users the first steps, and programs the links", async () => {
    const page = await (await ask("/", { accept: "text/html,application/xhtml+xml,*/*;q=0.8" })).text();
    for (const path of ["/docs", "/docs/guides", "/docs/errors", "/openapi.json", "/health"]) {
      expect(page).toContain(`href="${path}"`);
      expect((await ask(path)).status).toBe(200);
    }
    expect(page).toContain("Set your warehouse");
    const facts = await ask("/", { accept: "application/json" });
    expect([facts.status, facts.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(facts.headers.get("vary")).toBe("Accept, Accept-Encoding");
    const { name, api, reference } = (await facts.json()) as Record<string, string>;
    expect([name, api, reference].join(" ")).toMatch(/^Packhouse \S*\/v1 \S*\/docs$/);
  });

  test("an error links to its entry on the page of errors", async () => {
    const refused = await app.call("GET", "/products", undefined, { key: null });
    const { pathname, hash } = new URL(refused.body.error.doc_url);
    expect(hash).toBe("#authentication_required");
    expect(await (await ask(pathname)).text()).toContain(`<section id="${hash.slice(1)}">`);
  });

  test("every guide is a page, Markdown, and in the lists of people and of programs", async () => {
    const [listed, llms] = [await (await ask("/docs/guides")).text(), await (await ask("/llms.txt")).text()];
    const folder = join(import.meta.dir, "../../../src/server/guides");
    const names = [...new Bun.Glob("*.md").scanSync({ cwd: folder })].map((file) => file.slice(0, -".md".length));
    const inPage = [...listed.matchAll(/href="\/docs\/guides\/(\w+)">([^<]+)/g)];
    expect(inPage.map(([, name]) => name).sort()).toEqual(names.sort());
    expect(llms).toStartWith("# Packhouse\n\n> ");
    for (const [, name = "", title = ""] of inPage) {
      const source = (await Bun.file(join(folder, `${name}.md`)).text()).trim();
      const markdown = await (await ask(`/docs/guides/${name}.md`)).text();
      expect(markdown).toStartWith(source);
      expect(markdown).toStartWith(`# ${title}\n`);
      expect(llms).toContain(`[${title}](http://packhouse.test/docs/guides/${name}.md)`);
      const page = await (await ask(`/docs/guides/${name}`)).text();
      expect(page.match(/<h1/g)).toHaveLength(1);
      expect(page).toContain(`>${title}</h1>`);
    }
  });

  test("guides link to each other, and have tables that are made from the code", async () => {
    const webhooks = await (await ask("/docs/guides/webhooks")).text();
    expect(webhooks).toContain('<a href="/docs/guides/settings">Settings</a>');
    const privacy = await (await ask("/docs/guides/privacy")).text();
    expect(privacy).toContain("What an erasure does with each type of record</h2>");
    expect(privacy).toContain("<td><code>event_payloads</code></td>");
  });

  test("every error code is explained", async () => {
    const page = await (await ask("/docs/errors")).text();
    const explained = [...page.matchAll(/<section id="(\w+)">/g)].map(([, code]) => code);
    expect(explained.sort()).toEqual(Object.keys(faults).sort());
  });
});

describe("refused", () => {
  test.each(["nothing", "nothing.md", "webhooks.html", "__proto__"])("a guide named %s", async (name) => {
    const answer = await ask(`/docs/guides/${name}`);
    const { error } = (await answer.json()) as { error: { code: string } };
    expect([answer.status, error.code]).toEqual([404, "resource_missing"]);
  });
});

describe("guards", () => {
  test.each(["/", "/docs", "/docs/errors", "/docs/guides", "/docs/guides/conventions"])(
    "%s may connect to this service only",
    async (path) => {
      const page = await ask(path);
      const policy = page.headers.get("content-security-policy") ?? "";
      expect(policy).toStartWith("default-src 'none'; ");
      expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
      const text = await page.text();
      expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
      expect(text).not.toMatch(/<script(?! src)|\son\w+=/);
    },
  );

  test("Scalar sends nothing to its vendor", async () => {
    const start = await (await ask("/docs/start.js")).text();
    for (const setting of ['"telemetry":false', '"withDefaultFonts":false', '"proxyUrl":""', '"persistAuth":false']) {
      expect(start).toContain(setting);
    }
  });
});
