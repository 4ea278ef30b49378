// What the front end reads and when, rendered without a browser: the test controls when effects run and responses
// arrive.
import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { root } from "../../../../scripts/install.ts";
import { heartbeat } from "../../../../src/dashboard/server/hint_stream.ts";
import { tries } from "../../../volume.ts";

// The front end's renderer belongs to another program with browser types, so the types that this test uses are declared
// here.
type Drawn = object;
interface Preact {
  readonly Fragment: object;
  readonly options: { requestAnimationFrame?: (run: () => void) => void };
  h<Props extends object>(kind: object, props: (Props & { key?: string }) | null, children?: readonly Drawn[]): Drawn;
  render(drawn: Drawn, into: object): void;
}
interface Queries {
  useQuery(path: string): { readonly data: number | undefined };
  refresh(nouns: ReadonlySet<string>): void;
  forgetAll(): void;
}
interface Live {
  listen(): () => void;
}

const outside = (module: string): Promise<unknown> => import(module);
const { Fragment, h, options, render } = (await outside("preact")) as Preact;
const web = (file: string) => outside(join(root, "src/dashboard/web/api", file));
const page = globalThis as Record<string, unknown>;
page["location"] = { pathname: "/dashboard", search: "" };
page["history"] = { state: null };
const { useQuery, refresh, forgetAll } = (await web("query.ts")) as Queries;
const { listen } = (await web("live.ts")) as Live;

const paths = ["/notices", "/webhooks"] as const;
type Path = (typeof paths)[number];

let now = 0;
const asked: { readonly path: Path; readonly answer: () => void }[] = [];
const counts: Record<Path, number> = { "/notices": 0, "/webhooks": 0 };
// A response has the server's state at the time of the request, however late it arrives.
const server = (address: string, { signal }: { readonly signal: AbortSignal }): Promise<Response> => {
  const path = address.slice("/v1".length) as Path;
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const body = { data: counts[path] };
  const one = { path, answer: () => resolve(Response.json(body)) };
  asked.push(one);
  signal.addEventListener("abort", () => {
    if (asked.includes(one)) asked.splice(asked.indexOf(one), 1);
    reject(signal.reason);
  });
  return promise;
};
const effects: (() => void)[] = [];
const spies = [spyOn(performance, "now"), spyOn(globalThis, "fetch")] as const;
beforeAll(() => {
  spies[0].mockImplementation(() => now);
  spies[1].mockImplementation(server as typeof fetch);
  options.requestAnimationFrame = (run) => void effects.push(run);
});
afterAll(() => {
  for (const spy of spies) spy.mockRestore();
  for (const name of ["location", "history", "window", "document", "EventSource"]) delete page[name];
  Reflect.deleteProperty(options, "requestAnimationFrame");
});

/** Runs everything that is ready, until the next turn of the event loop. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A window with places that each show one path, or nothing. */
class Screen {
  readonly #window = { nodeType: 1, namespaceURI: "http://www.w3.org/1999/xhtml", childNodes: [], firstChild: null };
  readonly #drawn = new Map<string, Path>();
  /** What each place showed when it was last rendered. */
  readonly shown = new Map<string, number | undefined>();
  readonly #Place = ({ name, path }: { readonly name: string; readonly path: Path }) => {
    this.shown.set(name, useQuery(path).data);
    return null;
  };

  show(name: string, path: Path | null): void {
    // Unchanged places are not rendered again.
    if (this.#drawn.get(name) !== path) this.shown.delete(name);
    if (path === null) this.#drawn.delete(name);
    else this.#drawn.set(name, path);
    const places = [...this.#drawn].map(([one, of]) => h(this.#Place, { key: `${one} ${of}`, name: one, path: of }));
    render(h(Fragment, null, places), this.#window);
  }

  /** What each place should show once no request is pending. */
  due(): Map<string, number | undefined> {
    return new Map([...this.#drawn].map(([name, path]) => [name, counts[path]]));
  }
}

const runEffects = () => {
  for (const run of effects.splice(0)) run();
};

/** Completes all pending requests. This may take some turns if the process has other work. */
async function settle(): Promise<void> {
  for (let quiet = 0; quiet < 10; quiet += 1) {
    await turn();
    if (effects.length + asked.length > 0) quiet = 0;
    runEffects();
    for (const { answer } of asked.splice(0)) answer();
  }
}

/** A separate screen without any cached reads. */
async function withScreen(act: (screen: Screen) => Promise<void>): Promise<void> {
  const screen = new Screen();
  await act(screen);
  for (const name of screen.due().keys()) screen.show(name, null);
  await settle();
  forgetAll();
  now += 60_000;
}

test("data that was evicted between rendering and effects is read again, and follows the hints", () =>
  withScreen(async (screen) => {
    screen.show("list", "/notices");
    await settle();
    screen.show("list", null);
    await settle();
    screen.show("page", "/notices");
    counts["/notices"] += 1;
    refresh(new Set(["notices"]));
    await settle();
    expect(screen.shown).toEqual(screen.due());
    counts["/notices"] += 1;
    refresh(new Set(["notices"]));
    await settle();
    expect(screen.shown).toEqual(screen.due());
  }));

test("an abandoned read does not count as fresh", () =>
  withScreen(async (screen) => {
    screen.show("list", "/notices");
    await settle();
    counts["/notices"] += 1;
    refresh(new Set(["notices"]));
    await turn();
    screen.show("list", null);
    runEffects();
    await turn();
    screen.show("page", "/notices");
    await settle();
    expect(screen.shown).toEqual(screen.due());
  }));

test("a response from before a hint is read again by the next reader", () =>
  withScreen(async (screen) => {
    screen.show("a", "/webhooks");
    await settle();
    const change = () => {
      counts["/webhooks"] += 1;
      refresh(new Set(["webhooks"]));
    };
    change();
    asked.shift()?.answer();
    screen.show("a", "/notices");
    change();
    runEffects();
    screen.show("a", "/webhooks");
    await settle();
    expect(screen.shown).toEqual(screen.due());
  }));

test("concurrent readers share one request", () =>
  withScreen(async (screen) => {
    screen.show("count", "/webhooks");
    screen.show("list", "/webhooks");
    runEffects();
    await turn();
    screen.show("another", "/webhooks");
    runEffects();
    let requests = 0;
    for (let round = 0; round < 3; round += 1) {
      requests += asked.length;
      for (const { answer } of asked.splice(0)) answer();
      await turn();
    }
    expect([requests, screen.shown]).toEqual([1, screen.due()]);
  }));

const steps = fc.array(
  fc.oneof(
    fc.constantFrom("settle", "effects", "turn", "answer", "hint"),
    fc.record({ place: fc.constantFrom("a", "b"), path: fc.constantFrom(...paths, null) }),
    fc.record({ change: fc.constantFrom(...paths) }),
    fc.record({ pass_ms: fc.constantFrom(400, 1100) }),
  ),
  { maxLength: 40, size: "max" },
);

test("in any order of events, every place shows the server's data after the last hint", async () => {
  const property = fc.asyncProperty(steps, (taken) =>
    withScreen(async (screen) => {
      const hints: string[] = [];
      const hint = () => refresh(new Set(hints.splice(0, 1)));
      for (const step of taken) {
        if (step === "settle") await settle();
        else if (step === "effects") runEffects();
        else if (step === "turn") await turn();
        else if (step === "answer") asked.shift()?.answer();
        else if (typeof step === "string") hint();
        else if ("place" in step) screen.show(step.place, step.path);
        else if ("pass_ms" in step) now += step.pass_ms;
        else {
          counts[step.change] += 1;
          hints.push(step.change.slice(1));
        }
      }
      while (hints.length > 0) hint();
      await settle();
      expect(screen.shown).toEqual(screen.due());
    }),
  );
  await fc.assert(property, tries(500));
});

/** A stream of hints, like a browser's event source. */
class Source extends EventTarget {
  static readonly CLOSED = 2;
  static readonly all: Source[] = [];
  readyState = 0;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onmessage: ((event: MessageEvent) => void) | null = null;

  constructor() {
    super();
    Source.all.push(this);
  }

  close(): void {
    this.readyState = Source.CLOSED;
  }

  open(): void {
    this.readyState = 1;
    this.onopen?.();
  }

  refuse(): void {
    this.readyState = Source.CLOSED;
    this.onerror?.();
  }

  /** Receives an event as the server writes it. */
  take(text: Uint8Array): void {
    const [, event = "", data = ""] =
      /^event: (.*)\n(?:id: .*\n)?data: (.*)\n\n$/.exec(new TextDecoder().decode(text)) ?? [];
    this.dispatchEvent(new MessageEvent(event, { data }));
  }
}

/** Listens with streams and timers that the test controls; `pass` lets time pass, a second at a time. */
async function listening(act: (pass: (seconds: number) => Promise<void>) => Promise<void>): Promise<void> {
  const timers = new Map<number, { readonly run: () => void; at: number; readonly every: number | null }>();
  let last = 0;
  const timer = (run: () => void, ms: number, every: number | null) => {
    last += 1;
    timers.set(last, { run, at: now + ms, every });
    return last;
  };
  page["window"] = {
    setTimeout: (run: () => void, ms: number) => timer(run, ms, null),
    setInterval: (run: () => void, ms: number) => timer(run, ms, ms),
    clearInterval: (id: number) => timers.delete(id),
  };
  page["document"] = Object.assign(new EventTarget(), { visibilityState: "visible" });
  page["EventSource"] = Source;
  Source.all.length = 0;
  const stop = listen();
  await act(async (seconds) => {
    for (let second = 0; second < seconds; second += 1) {
      now += 1000;
      for (const [id, one] of timers) {
        if (one.at > now) continue;
        if (one.every === null) timers.delete(id);
        else one.at += one.every;
        one.run();
      }
      await settle();
    }
  });
  stop();
}

test("data read before the stream of hints was open is read again", () =>
  withScreen((screen) =>
    listening(async (pass) => {
      screen.show("list", "/notices");
      await settle();
      counts["/notices"] += 1;
      Source.all[0]?.open();
      await pass(1);
      expect(screen.shown).toEqual(screen.due());
    }),
  ));

test("a refused stream is reopened, and so is a silent one", () =>
  listening(async (pass) => {
    const opened = () => Source.all.length;
    Source.all[0]?.refuse();
    await pass(15);
    expect(opened()).toBe(2);
    Source.all[1]?.open();
    for (let beats = 0; beats < 10; beats += 1) {
      await pass(15);
      Source.all[1]?.take(heartbeat);
    }
    expect(opened()).toBe(2);
    await pass(60);
    expect([opened() > 2, Source.all[1]?.readyState]).toEqual([true, Source.CLOSED]);
  }));
