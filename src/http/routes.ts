// One row per route: its method, its path, the permission, what it takes and returns, and the act. The table of all
// routes finds that of a request.
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { type AnyElysia, Elysia } from "elysia";
import { Memoirist } from "memoirist";
import { closest } from "../core/did_you_mean.ts";
import { Fault } from "../core/faults.ts";
import { type IdNoun, wireId } from "../core/ids.ts";
import {
  bodyOf,
  type CheckedSchema,
  closed,
  DeletedView,
  DryRunQuery,
  type PageQuery,
  queryOf,
} from "../core/schema.ts";
import type { Db, Tx } from "../storage/database.ts";
import type { RouteNeed } from "./auth/permissions.ts";
import type { Call } from "./call.ts";
import type { Chapter } from "./chapters.ts";
import { answerCsv, type CsvFile } from "./csv_response.ts";
import { bare, EnvelopedView, ListView, PlainListView } from "./envelope.ts";
import type { Expandable, Expansion } from "./expansion.ts";
import { answerList, type ListQuery, plainPage } from "./pagination.ts";
import { requireMatch, untagged } from "./preconditions.ts";
import { answerAct, DryRunView, RehearsableView } from "./rehearsals.ts";
import { conventions } from "./request_pipeline.ts";
import { answerLongWork, answerRead, answerWrite } from "./response.ts";
import { type ChosenFields, fieldParameters, shownFields } from "./response_fields.ts";
import { documented, type Route, type RouteNotes } from "./route.ts";

/** The parameters of a path, by their names: `id` and `line_id` for `/orders/:id/lines/:line_id`. */
type ParamsOf<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? ParamsOf<First> & ParamsOf<Rest>
  : Path extends `:${infer Name}`
    ? { readonly [Key in Name]: string }
    : unknown;

/** The schema of a body, or a body as `shownBodyOf` checks it. */
type BodyShape = TSchema | CheckedSchema<unknown>;
type BodyIn<Shape> = Shape extends TSchema ? Static<Shape> : Shape extends CheckedSchema<infer Body> ? Body : undefined;
type QueryIn<Shape> = Shape extends TObject ? Static<Shape> : Readonly<Record<string, never>>;

/** A request as a row handles it: the call, the parameters of its path, and its checked body and query. */
interface RouteInput<Path extends string, Body, Query> {
  readonly call: Call;
  readonly params: ParamsOf<Path>;
  readonly body: BodyIn<Body>;
  readonly query: QueryIn<Query>;
}

/** Data that a schema describes. */
type Shown<View extends TSchema> = ReadonlyDeep<Static<View>>;
type ReadonlyDeep<Data> = Data extends object ? { readonly [Key in keyof Data]: ReadonlyDeep<Data[Key]> } : Data;

/** What every row declares about its route. */
interface Facts<Body, Query> extends Omit<RouteNotes, "needs" | "chapter" | "answers" | "matches" | "expansion"> {
  readonly body?: Body & BodyShape;
  readonly query?: Query & TObject;
}

/** A row whose responses show data that a schema describes. */
interface Showing<View extends TSchema> {
  readonly view: View;
  /** `false` leaves the response without the envelope, as the customer routes are specified. */
  readonly envelope?: false;
}

/** A row that does something before its transaction or view starts, in which it can wait for nothing else. */
interface Preparing<Input, Prepared> {
  /** Checks, or reads from elsewhere, what the route needs. The other functions of the row get it as `prepared`. */
  readonly prepare?: (input: Input) => Promise<Prepared>;
}
type PreparedInput<Input, Prepared> = Input & { readonly prepared: Prepared };

function afterPreparing<Input, Prepared>(
  prepare: ((input: Input) => Promise<Prepared>) | undefined,
  input: Input,
  answer: (input: PreparedInput<Input, Prepared>) => Promise<Response>,
): Promise<Response> {
  if (prepare === undefined) return answer(input as PreparedInput<Input, Prepared>);
  return prepare(input).then((prepared) => answer({ ...input, prepared }));
}

/** A route before it has a chapter. */
interface Row {
  readonly method: string;
  readonly path: string;
  readonly body: BodyShape | undefined;
  readonly query: TObject | undefined;
  readonly answer: (input: never) => Promise<Response> | Response;
  readonly detail: (chapter: Chapter) => Record<string, unknown>;
}

/** A route that makes its own response: a document, a session, the result of several transactions. */
export function respond<const Path extends string, Body = undefined, Query = undefined>(
  method: string,
  path: Path,
  needs: RouteNeed,
  {
    body,
    query,
    answer,
    ...notes
  }: Facts<Body, Query> &
    Pick<RouteNotes, "answers" | "matches" | "expansion"> & {
      readonly answer: (input: RouteInput<Path, Body, Query>) => Promise<Response> | Response;
    },
): Row {
  return { method, path, body, query, answer, detail: (chapter) => documented({ ...notes, needs, chapter }) };
}

/**
 * A route that shows data, which `data` reads in one consistent view. If that is all records of a kind, `included` is
 * how other responses include them.
 */
export function read<const Path extends string, View extends TSchema, Query = undefined, Prepared = undefined>(
  path: Path,
  needs: RouteNeed,
  {
    view,
    envelope,
    prepare,
    data,
    included,
    ...facts
  }: Facts<undefined, Query> &
    Showing<View> &
    Preparing<RouteInput<Path, undefined, Query>, Prepared> & {
      readonly data: (
        db: Db,
        input: PreparedInput<RouteInput<Path, undefined, Query>, Prepared>,
      ) => Promise<Shown<View>> | Shown<View>;
      readonly included?: Omit<Expansion, "needs">;
    },
): Row {
  const row = {
    ...facts,
    ...(included && { expansion: { ...included, needs } }),
    answers: { 200: envelope === false ? view : EnvelopedView(view) },
    answer: (input: RouteInput<Path, undefined, Query>) => {
      const { show, query } = chosenFields(input, view);
      return afterPreparing(prepare, { ...input, query }, (prepared) =>
        answerRead(
          input.call,
          async (db) => {
            const whole = await data(db, prepared);
            if (show === null) return whole;
            const [shown] = await show([whole], db);
            return untagged(shown as object);
          },
          envelope === false ? bare : undefined,
        ),
      );
    },
  };
  // A single record has an identifier in its path.
  if (!path.includes(":") || needs === "none") return respond<Path, undefined, Query>("GET", path, needs, row);
  const query = closed({ ...facts.query?.properties, ...fieldParameters(view) }) as unknown as Query & TObject;
  return respond<Path, undefined, Query>("GET", path, needs, { ...row, query });
}

/** What a request chooses to see (null: all of it), and the rest of its query. */
function chosenFields<Query>({ call, query: all }: { readonly call: Call; readonly query: Query }, view: TSchema) {
  const { fields, expand, ...query } = (all ?? {}) as Query & ChosenFields;
  return { show: shownFields(call, view, { fields, expand }), query: query as unknown as Query };
}

/** A route that exports records as a CSV file. */
export function exportCsv<const Path extends string, Record, After, Query extends TObject>(
  path: Path,
  needs: RouteNeed,
  {
    file,
    ...facts
  }: Facts<undefined, Query> & {
    readonly file: (
      input: RouteInput<Path, undefined, Query>,
    ) => Promise<CsvFile<Record, After>> | CsvFile<Record, After>;
  },
): Row {
  return respond<Path, undefined, Query>("GET", path, needs, {
    ...facts,
    documents: ["text/csv"],
    answers: { 200: null },
    answer: async (input) => answerCsv(input.call, await file(input), input.query as { readonly bom?: boolean }),
  });
}

/** What a route lists: a `recordList`, or the query of a special list and how it is read. */
interface ListSource<Query extends TObject, Record, Input> {
  readonly query: Query;
  readonly listing: (input: Input) => Promise<ListQuery<Record>> | ListQuery<Record>;
}

/** How other responses include the records of a list: under which name, and how they are read by their ids. */
interface Inclusion<Record> {
  readonly as: Expandable;
  readonly rows: (db: Db, ids: readonly number[]) => Promise<readonly Record[]>;
}

/** A route that lists records by page number or by cursor. `views` shows the records of a page, in their order. */
export function list<
  const Path extends string,
  View extends TSchema,
  Record,
  Query extends TObject,
  Prepared = undefined,
>(
  path: Path,
  needs: RouteNeed,
  {
    view,
    envelope,
    prepare,
    of: { query, listing },
    views,
    included,
    ...facts
  }: Omit<Facts<undefined, Query>, "query"> &
    Showing<View> &
    Preparing<RouteInput<Path, undefined, Query>, Prepared> & {
      readonly of: ListSource<Query, Record, PreparedInput<RouteInput<Path, undefined, Query>, Prepared>>;
      readonly views: (
        records: readonly Record[],
        db: Db,
        input: PreparedInput<RouteInput<Path, undefined, Query>, Prepared>,
      ) => Promise<readonly Shown<View>[]> | readonly Shown<View>[];
      readonly included?: Inclusion<Record>;
    },
): Row {
  type Input = PreparedInput<RouteInput<Path, undefined, Query>, Prepared>;
  const expansion = included && {
    name: included.as,
    needs,
    view,
    read: async (db: Db, ids: readonly number[], call: unknown) => {
      const shown = await views(await included.rows(db, ids), db, { call } as unknown as Input);
      return shown as readonly object[];
    },
  };
  return respond<Path, undefined, Query>("GET", path, needs, {
    ...facts,
    ...(expansion && { expansion }),
    query: closed({ ...query.properties, ...fieldParameters(view) }) as unknown as Query,
    answers: { 200: envelope === false ? PlainListView(view) : ListView(view) },
    answer: (request) => {
      const { show, query } = chosenFields(request, view);
      return afterPreparing(prepare, { ...request, query }, async (input) => {
        const plain = envelope === false ? plainPage : undefined;
        const shown = async (records: readonly Record[], db: Db) => {
          const whole = await views(records, db, input);
          return show === null ? whole : show(whole, db);
        };
        return answerList(input.call, query as PageQuery, await listing(input), shown, plain);
      });
    },
  });
}

/** A route that performs an act in one write transaction and shows the result once it is durable. */
export function write<
  const Path extends string,
  View extends TSchema,
  Body = undefined,
  Query = undefined,
  Prepared = undefined,
>(
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: Path,
  needs: RouteNeed,
  {
    view,
    envelope,
    status = 200,
    matches,
    secret_key,
    prepare,
    long = false,
    act,
    ...facts
  }: Facts<Body, Query> &
    Showing<View> &
    Preparing<RouteInput<Path, Body, Query>, Prepared> & {
      /** The status of a successful response; 200 by default. */
      readonly status?: number;
      /** The record that `If-Match` is compared with, locked, as its GET shows it. */
      readonly matches?: (tx: Tx, input: PreparedInput<RouteInput<Path, Body, Query>, Prepared>) => Promise<object>;
      /** For a response that shows a secret: the key that encrypts its stored copy. */
      readonly secret_key?: Uint8Array;
      /** Whether `prepare` takes long, as a call to another service does: a repeated request is not prepared again. */
      readonly long?: boolean;
      readonly act: (tx: Tx, input: PreparedInput<RouteInput<Path, Body, Query>, Prepared>) => Promise<Shown<View>>;
    },
): Row {
  return respond<Path, Body, Query>(method, path, needs, {
    ...facts,
    ...(matches && { matches: true }),
    answers: { [status]: envelope === false ? view : EnvelopedView(view) },
    answer: (request) => {
      const answer = () =>
        afterPreparing(prepare, request, (input) =>
          answerWrite(
            input.call,
            status,
            async (tx) => {
              if (matches) await requireMatch(input.call, () => matches(tx, input));
              return act(tx, input);
            },
            envelope === false ? bare : undefined,
            secret_key,
          ),
        );
      return long ? answerLongWork(request.call, answer, secret_key) : answer();
    },
  });
}

/** A route that deletes a record and shows its id. `act` returns the deleted record. */
export function remove<const Path extends string>(
  path: Path,
  needs: RouteNeed,
  {
    noun,
    act,
    ...facts
  }: Omit<Facts<undefined, undefined>, "body" | "query"> & {
    readonly noun: IdNoun;
    /** The record that `If-Match` is compared with, locked, as its GET shows it. */
    readonly matches?: (tx: Tx, input: RouteInput<Path, undefined, undefined>) => Promise<object>;
    readonly act: (tx: Tx, input: RouteInput<Path, undefined, undefined>) => Promise<{ readonly id: number }>;
  },
): Row {
  return write<Path, typeof DeletedView>("DELETE", path, needs, {
    ...facts,
    view: DeletedView,
    act: async (tx, input) => ({ id: wireId(noun, (await act(tx, input)).id), deleted: true }),
  });
}

/**
 * As `write`, for an act that supports a dry run: its query is `DryRunQuery` or has that field. If the act can create
 * records, `preview` is the schema of what its dry run shows.
 */
export function rehearsable<
  const Path extends string,
  View extends TSchema,
  Body = undefined,
  Query extends TObject = typeof DryRunQuery,
>(
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: Path,
  needs: RouteNeed,
  {
    view,
    preview,
    status = 200,
    matches,
    act,
    query = DryRunQuery as unknown as Query,
    ...facts
  }: Omit<Facts<Body, Query>, "query"> & {
    readonly view: View;
    readonly preview?: TSchema;
    /** The status of a successful response that is no dry run; 200 by default. */
    readonly status?: number;
    readonly query?: Query;
    readonly matches?: (tx: Tx, input: RouteInput<Path, Body, Query>) => Promise<object>;
    readonly act: (tx: Tx, input: RouteInput<Path, Body, Query>) => Promise<Shown<View>>;
  },
): Row {
  return respond<Path, Body, Query>(method, path, needs, {
    ...facts,
    query,
    ...(matches && { matches: true }),
    answers:
      status === 200
        ? { 200: RehearsableView(view, preview) }
        : { [status]: EnvelopedView(view), 200: DryRunView(preview ?? view) },
    answer: (input) =>
      answerAct(input.call, { status, dry_run: (input.query as DryRunQuery).dry_run }, async (tx) => {
        if (matches) await requireMatch(input.call, () => matches(tx, input));
        return act(tx, input);
      }),
  });
}

const isChecked = (body: BodyShape): body is CheckedSchema<unknown> => "~standard" in body;

/** Routes of one chapter of the reference. */
export function routes(chapter: Chapter, rows: readonly Row[]): AnyElysia {
  const app: AnyElysia = new Elysia().use(conventions);
  for (const { method, path, body, query, answer, detail } of rows) {
    const handle = answer as (input: RouteInput<string, unknown, unknown>) => Promise<Response> | Response;
    app.route(method, path, ({ call, params, body, query }) => handle({ call, params, body, query } as never), {
      ...(body && { body: isChecked(body) ? body : bodyOf(body) }),
      ...(query && { query: queryOf(query) }),
      detail: detail(chapter),
    });
  }
  return app;
}

/** The routes of an app. Filled once, when the app is complete. */
export class RouteTable {
  readonly #router = new Memoirist<Route>();
  readonly #routes = new Map<string, Route>();
  #methods: readonly string[] = [];
  /** The segments of each path. */
  #patterns: readonly (readonly string[])[] = [];

  /** How records are included in responses, by the name that `expand` has for them. */
  readonly expansions = new Map<Expandable, Expansion>();

  fill(routes: readonly Route[]): void {
    for (const route of routes) {
      if (route.expansion !== null) this.expansions.set(route.expansion.name, route.expansion);
      this.#routes.set(route.name, route);
      this.#router.add(route.method, route.path, route);
    }
    this.#methods = [...new Set(routes.map(({ method }) => method))];
    this.#patterns = [...new Set(routes.map(({ path }) => path))].map(segmentsOf);
  }

  /** All routes, by name. */
  get all(): ReadonlyMap<string, Route> {
    return this.#routes;
  }

  /** The route of a method and a path after the version; null when there is none. */
  find(method: string, path: string): Route | null {
    return (isReadable(path) ? this.#router.find(method, path) : null)?.store ?? null;
  }

  /** Creates the fault of a request for an unknown path or method. */
  unknown(method: string, path: string): Fault {
    const allowed_methods = this.#methodsOf(path);
    if (allowed_methods.length > 0) {
      return new Fault("method_not_allowed", `${method} is not allowed on this path.`, { allowed_methods });
    }
    return new Fault("route_not_found", `The path ${path} does not exist${this.hint(path, "")}.`);
  }

  /**
   * Returns ` (did you mean /orders?)` when one of the paths was likely meant, with `before` as a prefix; else an empty
   * text.
   */
  hint(path: string, before: string): string {
    const requested = segmentsOf(path.replace(/^(?:\/api)?(?:\/v\d+)?(?=\/)/, ""));
    let patterns = this.#patterns.filter(({ length }) => length === requested.length);
    for (const [at, word] of requested.entries()) {
      const names = new Set(patterns.flatMap((pattern) => (isParameter(pattern[at]) ? [] : (pattern[at] ?? []))));
      const meant = names.has(word) ? word : closest(word, names);
      patterns = patterns.filter((pattern) => pattern[at] === meant || isParameter(pattern[at]));
    }
    const [found] = patterns;
    if (!found?.length) return "";
    const meant = found.map((name, at) => (isParameter(name) ? requested[at] : name));
    return ` (did you mean ${[before, ...meant].join("/")}?)`;
  }

  #methodsOf(path: string): string[] {
    const found = this.#methods.filter((method) => this.find(method, path) !== null);
    // HEAD is allowed where GET is, and OPTIONS everywhere.
    if (found.length > 0) found.push(...(found.includes("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"]));
    return found;
  }
}

const segmentsOf = (path: string) => path.split("/").filter((segment) => segment !== "");
const isParameter = (segment: string | undefined) => segment?.startsWith(":");

/** Whether every escape of a path is printable text. `%E0%A4%A` and `%00` are not, so they match no route. */
function isReadable(path: string): boolean {
  if (!path.includes("%")) return true;
  try {
    return !/\p{Cc}/u.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}
