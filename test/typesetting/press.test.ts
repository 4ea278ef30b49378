import { describe, expect, test } from "bun:test";
import { silentLog } from "../../src/kit/log.ts";
import { startWorker } from "../../src/kit/worker.ts";
import { drawLabel } from "../../src/shipping/labels/drawing/face.ts";
import type { Paper } from "../../src/typesetting/papers/paper.ts";
import { draw, type PrintJob } from "../../src/typesetting/press/draw.ts";
import { keeper } from "../../src/typesetting/press/kept.ts";
import { openPress } from "../../src/typesetting/press/press.ts";
import { facts } from "../shipping/labels/drawing/facts.ts";

const { drawing } = drawLabel({ ...facts, recipient: { ...facts.recipient, name: "東京 שלום" } });
const jobs = (["pdf", "png", "zpl"] as const).map((format): PrintJob => ({ kind: "drawing", drawing, format }));

/** The address of a worker's program. */
const program = (code: string) => URL.createObjectURL(new Blob([code], { type: "application/javascript" }));

describe("a press", () => {
  test("draws the same in its thread as in this one", async () => {
    let worker: Worker | undefined;
    const press = openPress(() => {
      worker = startWorker("press");
      return worker;
    });
    const drawn = await Promise.all(jobs.map((job) => press(job, silentLog)));
    expect(drawn).toEqual(await Promise.all(jobs.map(draw)));
    worker?.terminate();
  });

  test.each([
    ["cannot be loaded", () => new Worker(program("import 'no-such-package-at-all';"))],
    ["fails at once", () => new Worker(program("throw new Error('no');"))],
    ["fails at the first document", () => new Worker(program("self.onmessage = () => { throw new Error('no'); };"))],
  ])("draws here when its thread %s", async (_, start) => {
    let started = 0;
    const press = openPress(() => {
      started += 1;
      return start();
    });
    const expected = await draw(jobs[2] as PrintJob);
    const drawn = await Promise.all([press(jobs[2] as PrintJob, silentLog), press(jobs[2] as PrintJob, silentLog)]);
    expect([...drawn, await press(jobs[2] as PrintJob, silentLog)]).toEqual([expected, expected, expected]);
    expect(started).toBe(1);
  });

  // A thread that answers with what it was told to draw, and is lost at a drawing of no width.
  const echo = `self.onmessage = ({ data }) => {
    if (data.drawing?.width === 0) throw new Error("no");
    const bytes = new TextEncoder().encode(data.kind);
    setTimeout(() => self.postMessage({ bytes }), 1);
  };`;
  const drawing_job = jobs[2] as PrintJob;
  const paper: PrintJob = { kind: "paper", paper: {} as Paper, format: "pdf", now: 0 };

  test("draws drawings before the papers that wait, and refuses more than may wait", async () => {
    const press = openPress(() => new Worker(program(echo)));
    const done: string[] = [];
    const print = async (job: PrintJob) => done.push(new TextDecoder().decode(await press(job, silentLog)));
    await Promise.all([paper, paper, paper, drawing_job, drawing_job].map(print));
    expect(done).toEqual(["paper", "drawing", "drawing", "paper", "paper"]);
    const codes = Array.from({ length: 502 }, () =>
      press(drawing_job, silentLog).then(
        () => "drawn",
        (error) => error.code,
      ),
    );
    expect((await Promise.all(codes)).filter((code) => code !== "drawn")).toEqual(["unavailable"]);
  });

  test("draws here what a thread was lost with, and the others in a new one", async () => {
    let started = 0;
    const press = openPress(() => {
      started += 1;
      return new Worker(program(echo));
    });
    const print = async (job: PrintJob) => new TextDecoder().decode(await press(job, silentLog));
    const fatal: PrintJob = { kind: "drawing", drawing: { ...drawing, width: 0, operations: [] }, format: "zpl" };
    const [before, lost, after] = await Promise.all([print(drawing_job), print(fatal), print(drawing_job)]);
    expect([before, lost?.slice(0, 3), after, started]).toEqual(["drawing", "^XA", "drawing", 2]);
  });

  test("tells why a document cannot be drawn, and goes on", async () => {
    const press = openPress(() => startWorker("press"));
    const wrong = { ...drawing, operations: [{ op: "qr", x: 0, y: 0, module: 1, text: "" }] } as const;
    expect(press({ kind: "drawing", drawing: wrong, format: "pdf" }, silentLog)).rejects.toThrow("assertion failed");
    expect((await press(jobs[2] as PrintJob, silentLog)).length).toBeGreaterThan(0);
  });
});

describe("what was drawn", () => {
  const bytes = (length: number) => new Uint8Array(length);

  test("is made once for all who ask at the same time, and kept", async () => {
    const keep = keeper();
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

  test("takes a bounded place: what was asked for longest ago goes first", async () => {
    const keep = keeper(100);
    const made: number[] = [];
    const ask = async (label: number, length = 40) => {
      await keep({ label }, async () => {
        made.push(label);
        return bytes(length);
      });
      // It is noted as kept a moment after those who asked have it.
      await Bun.sleep(0);
    };
    for (const label of [1, 2, 1, 3, 1, 2]) await ask(label);
    expect(made).toEqual([1, 2, 3, 2]);
    await ask(4, 101);
    await ask(4, 101);
    await ask(1);
    expect(made).toEqual([1, 2, 3, 2, 4, 4]);
  });

  test("is not kept when it failed", async () => {
    const keep = keeper();
    expect(keep(1, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await Bun.sleep(0);
    expect(await keep(1, async () => bytes(3))).toEqual(bytes(3));
  });
});
