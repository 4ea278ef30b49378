import { describe, expect, test } from "bun:test";
import { silentLog } from "../../src/core/log.ts";
import { startWorker } from "../../src/core/workers.ts";
import type { PrintDocument } from "../../src/documents/document.ts";
import { openRenderWorker } from "../../src/documents/render.ts";
import { renderCache } from "../../src/documents/render_cache.ts";
import { draw, type RenderJob } from "../../src/documents/render_job.ts";
import { drawLabel } from "../../src/shipping/labels/draw_label.ts";
import { facts } from "../shipping/labels/label_facts.ts";

const { drawing } = drawLabel({ ...facts, recipient: { ...facts.recipient, name: "東京 שלום" } });
const jobs = (["pdf", "png", "zpl"] as const).map((format): RenderJob => ({ kind: "drawing", drawing, format }));

/** The URL of a worker's program. */
const program = (code: string) => URL.createObjectURL(new Blob([code], { type: "application/javascript" }));

describe("a render worker", () => {
  test("draws the same bytes in its thread as in the calling thread", async () => {
    let thread: Worker | undefined;
    const worker = openRenderWorker(() => {
      thread = startWorker("render");
      return thread;
    });
    const drawn = await Promise.all(jobs.map((job) => worker(job, silentLog)));
    expect(drawn).toEqual(await Promise.all(jobs.map(draw)));
    thread?.terminate();
  });

  test.each([
    ["cannot be loaded", () => new Worker(program("import 'no-such-package-at-all';"))],
    ["fails at once", () => new Worker(program("throw new Error('no');"))],
    ["fails at the first document", () => new Worker(program("self.onmessage = () => { throw new Error('no'); };"))],
  ])("draws in the calling thread if its own %s", async (_, start) => {
    let started = 0;
    const worker = openRenderWorker(() => {
      started += 1;
      return start();
    });
    const expected = await draw(jobs[2] as RenderJob);
    const drawn = await Promise.all([worker(jobs[2] as RenderJob, silentLog), worker(jobs[2] as RenderJob, silentLog)]);
    expect([...drawn, await worker(jobs[2] as RenderJob, silentLog)]).toEqual([expected, expected, expected]);
    expect(started).toBe(1);
  });

  // Returns the kind of each job, and fails for a drawing of zero width.
  const echo = `self.onmessage = ({ data }) => {
    if (data.drawing?.width === 0) throw new Error("no");
    const bytes = new TextEncoder().encode(data.kind);
    setTimeout(() => self.postMessage({ bytes }), 1);
  };`;
  const drawing_job = jobs[2] as RenderJob;
  const document: RenderJob = { kind: "document", document: {} as PrintDocument, format: "pdf", now: 0 };

  test("draws drawings before waiting documents, and limits the number of waiting jobs", async () => {
    const worker = openRenderWorker(() => new Worker(program(echo)));
    const done: string[] = [];
    const print = async (job: RenderJob) => done.push(new TextDecoder().decode(await worker(job, silentLog)));
    await Promise.all([document, document, document, drawing_job, drawing_job].map(print));
    expect(done).toEqual(["document", "drawing", "drawing", "document", "document"]);
    const codes = Array.from({ length: 502 }, () =>
      worker(drawing_job, silentLog).then(
        () => "drawn",
        (error) => error.code,
      ),
    );
    expect((await Promise.all(codes)).filter((code) => code !== "drawn")).toEqual(["unavailable"]);
  });

  test("draws a lost thread's job in the calling thread, and later jobs in a new thread", async () => {
    let started = 0;
    const worker = openRenderWorker(() => {
      started += 1;
      return new Worker(program(echo));
    });
    const print = async (job: RenderJob) => new TextDecoder().decode(await worker(job, silentLog));
    const fatal: RenderJob = { kind: "drawing", drawing: { ...drawing, width: 0, operations: [] }, format: "zpl" };
    const [before, lost, after] = await Promise.all([print(drawing_job), print(fatal), print(drawing_job)]);
    expect([before, lost?.slice(0, 3), after, started]).toEqual(["drawing", "^XA", "drawing", 2]);
  });

  test("reports why a document cannot be drawn, and continues", async () => {
    const worker = openRenderWorker(() => startWorker("render"));
    const wrong = { ...drawing, operations: [{ op: "qr", x: 0, y: 0, module: 1, text: "" }] } as const;
    expect(worker({ kind: "drawing", drawing: wrong, format: "pdf" }, silentLog)).rejects.toThrow("assertion failed");
    expect((await worker(jobs[2] as RenderJob, silentLog)).length).toBeGreaterThan(0);
  });
});

describe("the render cache", () => {
  const bytes = (length: number) => new Uint8Array(length);

  test("shares one rendering among concurrent requests, and caches it", async () => {
    const keep = renderCache();
    let made = 0;
    const make = async () => {
      made += 1;
      await Bun.sleep(1);
      return bytes(10);
    };
    const all = await Promise.all(Array.from({ length: 50 }, () => keep({ label: 1 }, make)));
    expect(new Set(all).size).toBe(1);
    expect(await keep({ label: 1 }, make)).toBe(all[0] as Uint8Array);
    await keep({ label: 2 }, make);
    expect(made).toBe(2);
  });

  test("drops the least recently used entries beyond its size", async () => {
    const keep = renderCache(100);
    const made: number[] = [];
    const ask = async (label: number, length = 40) => {
      await keep({ label }, async () => {
        made.push(label);
        return bytes(length);
      });
      // The entry is cached shortly after the callers have it.
      await Bun.sleep(0);
    };
    for (const label of [1, 2, 1, 3, 1, 2]) await ask(label);
    expect(made).toEqual([1, 2, 3, 2]);
    await ask(4, 101);
    await ask(4, 101);
    await ask(1);
    expect(made).toEqual([1, 2, 3, 2, 4, 4]);
  });

  test("does not cache a failure", async () => {
    const keep = renderCache();
    expect(keep(1, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await Bun.sleep(0);
    expect(await keep(1, async () => bytes(3))).toEqual(bytes(3));
  });
});
