import { describe, expect, test } from "bun:test";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  LineWriter,
  type LogFormat,
  type LogLevel,
  openLog,
  redactSecrets,
  registerSecret,
} from "../../src/core/log.ts";

function logTo(lines: string[], level: LogLevel = "info", format: LogFormat = "json") {
  return openLog({ level, format, write: (line) => lines.push(line) });
}

describe("log", () => {
  test("writes one object per line, whatever the values", () => {
    const lines: string[] = [];
    logTo(lines).warn("a\nb", { reason: 'x"\ny', count: 3, none: null });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain("\n");
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: "warn",
      message: "a\nb",
      reason: 'x"\ny',
      count: 3,
      none: null,
    });
  });

  test("writes readable text on one line", () => {
    const lines: string[] = [];
    logTo(lines, "info", "text").info("request", { route: "/orders/:id", status: 200, why: "a b\nc", key_id: null });
    expect(lines[0]?.replace(/^\S+/, "…")).toBe('… INFO request route=/orders/:id status=200 why="a b\\nc"');
  });

  test.each<[LogLevel, string[]]>([
    ["debug", ["info", "warn", "error"]],
    ["info", ["info", "warn", "error"]],
    ["warn", ["warn", "error"]],
    ["error", ["error"]],
  ])("at level %s writes %p", (level, kept) => {
    const lines: string[] = [];
    const log = logTo(lines, level);
    log.info("a");
    log.warn("b");
    log.error("c");
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(kept);
    expect(log.shows("info")).toBe(kept.includes("info"));
  });
});

describe("redaction", () => {
  const key = "ph_live_0123456789abcdefghijklmnopqrstuvwxyz";
  test.each([
    [`the key ${key} is unknown`, "the key ph_live_… is unknown"],
    ["signed with whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw=, twice", "signed with whsec_…, twice"],
    [`Authorization: Bearer ${key}`, "Authorization: Bearer …"],
    ["authorization: basic dXNlcjpwYXNz", "authorization: basic …"],
    ["connect postgres://me:s3c/r@t@db.example:5432/a failed", "connect postgres://me:…@db.example:5432/a failed"],
    ["GET /labels/lbl_1?expires=1&signature=abcdef", "GET /labels/lbl_1?expires=1&signature=…"],
    ["nothing to hide: 12 units of TEA-250", "nothing to hide: 12 units of TEA-250"],
    ["https://one.example/a@b is an address", "https://one.example/a@b is an address"],
  ])("%s", (text, shown) => {
    expect(redactSecrets(text)).toBe(shown);
  });

  test("covers registered secrets in every encoding", () => {
    registerSecret("tr@ub4dor & 3");
    registerSecret("abc");
    expect(redactSecrets('{"a":"tr@ub4dor & 3","b":"tr%40ub4dor%20%26%203","c":"abc"}')).toBe(
      '{"a":"…","b":"…","c":"abc"}',
    );
  });

  test("covers the message and the fields of every line", () => {
    const lines: string[] = [];
    logTo(lines).error(`failed for ${key}`, { request_id: key, error: `Error: ${key}\n    at x` });
    expect(lines.join()).not.toContain("0123456789abcdef");
  });
});

describe("the line writer", () => {
  const path = join(tmpdir(), `packhouse-log-${process.pid}.txt`);
  const written = (work: (lines: LineWriter) => Promise<void> | void) => async () => {
    const descriptor = openSync(path, "w");
    try {
      await work(new LineWriter(descriptor));
    } finally {
      closeSync(descriptor);
      rmSync(path);
    }
  };

  test(
    "writes all lines in order",
    written(async (lines) => {
      for (let n = 0; n < 1000; n += 1) lines.write(`line ${n}`, n % 100 === 0);
      await lines.settled();
      const text = readFileSync(path, "utf8");
      expect(text.split("\n")).toEqual([...Array.from({ length: 1000 }, (_, n) => `line ${n}`), ""]);
    }),
  );

  test(
    "flushes pending lines when the process ends",
    written((lines) => {
      lines.write("last words", false);
      lines.finish();
      expect(readFileSync(path, "utf8")).toBe("last words\n");
    }),
  );

  test("drops lines instead of using memory or blocking when nobody reads", async () => {
    // A pipe accepts 64 KiB, then blocks.
    const program = `
      import { LineWriter } from ${JSON.stringify(join(import.meta.dir, "../../src/core/log.ts"))};
      const lines = new LineWriter(1);
      const line = "x".repeat(1000);
      for (let n = 0; n < 50_000; n += 1) {
        lines.write(line, false);
        if (n % 1000 === 0) await Bun.sleep(1);
      }
      process.stderr.write(String(process.memoryUsage().rss) + "\\n");
      await new Promise(() => setInterval(() => {}, 1000));
    `;
    const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "pipe" });
    const { value } = await child.stderr.getReader().read();
    const resident_bytes = Number(new TextDecoder().decode(value));
    child.kill("SIGKILL");
    await child.exited;
    expect(resident_bytes).toBeGreaterThan(0);
    expect(resident_bytes).toBeLessThan(200 << 20);
  }, 60_000);
});
