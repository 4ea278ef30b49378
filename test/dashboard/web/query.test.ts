// The front end's cache of reads, drawn without a browser: the test decides when effects run and when answers come.
import { afterAll, beforeAll, expect, mock, spyOn, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { root } from "../../../scripts/install.ts";

// What draws the front end belongs to another program, whose types are a browser's: here is what this test uses of it.
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

const outside = (module: string): Promise<unknown> => import(module);
const { Fragment, h, options, render } = (await outside("preact")) as Preact;
const page = globalThis as { location?: unknown };
page.location = { search: "" };
const { useQuery, refresh, forgetAll } = (await outside(join(root, "src/dashboard/web/api/query.ts"))) as Queries;
delete page.location;

const paths = ["/notices", "/webhooks"] as const;
type Path = (typeof paths)[number];

let now = 0;
const asked: { readonly path: Path; readonly answer: () => void }[] = [];
const counts: Record<Path, number> = { "/notices": 0, "/webhooks": 0 };
// An answer tells what the server had when it was asked, however late it comes.
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
beforeAll(() => {
  spyOn(performance, "now").mockImplementation(() => now);
  spyOn(globalThis, "fetch").mockImplementation(server as typeof fetch);
  options.requestAnimationFrame = (run) => void effects.push(run);
});
afterAll(() => {
  mock.restore();
  Reflect.deleteProperty(options, "requestAnimationFrame");
});

/** Lets all go on that waits for nothing but its turn. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A window with places that each show one path, or nothing. */
class Screen {
  readonly #window = { nodeType: 1, namespaceURI: "http://www.w3.org/1999/xhtml", childNodes: [], firstChild: null };
  readonly #drawn = new Map<string, Path>();
  /** What each place showed when it was last drawn. */
  readonly shown = new Map<string, number | undefined>();
  readonly #Place = ({ name, path }: { readonly name: string; readonly path: Path }) => {
    this.shown.set(name, useQuery(path).data);
    return null;
  };

  show(name: string, path: Path | null): void {
    // What is shown already is not drawn again.
    if (this.#drawn.get(name) !== path) this.shown.delete(name);
    if (path === null) this.#drawn.delete(name);
    else this.#drawn.set(name, path);
    const places = [...this.#drawn].map(([one, of]) => h(this.#Place, { key: `${one} ${of}`, name: one, path: of }));
    render(h(Fragment, null, places), this.#window);
  }

  /** What each place should show, once nothing is on its way any more. */
  due(): Map<string, number | undefined> {
    return new Map([...this.#drawn].map(([name, path]) => [name, counts[path]]));
  }
}

const runEffects = () => {
  for (const run of effects.splice(0)) run();
};

/** Lets everything that is on its way arrive. */
async function settle(): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet += 1) {
    await turn();
    if (effects.length + asked.length > 0) quiet = 0;
    runEffects();
    for (const { answer } of asked.splice(0)) answer();
  }
}

/** A screen of its own, with nothing read yet. */
async function withScreen(act: (screen: Screen) => Promise<void>): Promise<void> {
  const screen = new Screen();
  await act(screen);
  for (const name of screen.due().keys()) screen.show(name, null);
  await settle();
  forgetAll();
  now += 60_000;
}

test("what is forgotten between its drawing and its effects is read, and follows the hints", () =>
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

test("a read that was given up is not taken for a fresh one", () =>
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

test("whoever asks while it is read waits for the same answer", () =>
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

test("whatever comes first, once all hints have come every place shows what the server has", async () => {
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
  await fc.assert(property, { numRuns: 500 });
});
