import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiReply, get, type Pagination, type Params, withParams } from "../api/client.ts";
import { useQuery } from "../api/query.ts";
import { keepSelection, keptSelection } from "../browser/kept_places.ts";
import type { StoredPreference } from "../browser/preferences.ts";
import { place, placeBefore, query, scrollBackTo, setQuery } from "../browser/router.ts";
import { useShortcuts } from "../browser/shortcuts.ts";
import { words } from "../text/common.ts";
import { count } from "../text/format.ts";
import { type Action, ActionButton, act, isPossible } from "./action.tsx";
import { Button } from "./button.tsx";
import { type Option, Select } from "./fields.tsx";
import { isDayWord, timeOf, withTimes } from "./filter_days.ts";
import { Icon } from "./icon.tsx";
import { EmptyState, type EmptyStateProps, Notice, Skeleton } from "./notice.tsx";
import { Page } from "./page.tsx";
import { ColumnChooser, DataTable, type TableColumn, useHidden, withMerchant } from "./table.tsx";
import { showRefused } from "./toasts.tsx";

/** A filter of a list. Its parameter is the same in the API and in the address. */
export type ListFilter = { readonly param: string; readonly title: string; readonly when?: boolean } & (
  | { readonly kind: "choice"; readonly options: readonly Option[] }
  | { readonly kind: "text" }
  | { readonly kind: "date" }
  | { readonly kind: "flag"; readonly value?: string }
);

/** A filter with options. */
export function choice(param: string, title: string, options: readonly Option[]): ListFilter {
  return { kind: "choice", param, title, options };
}

const isShown = ({ when = true }: { readonly when?: boolean }) => when;

interface ListBasics<Row> {
  /** The name of the list, under which its columns are stored. */
  readonly name: string;
  readonly path: string;
  /** Parameters of every request. Filters override them. */
  readonly params?: Params;
  /** The parameter of the search; without it the list has no search. */
  readonly search?: { readonly param: string; readonly hint: string };
  readonly filters?: readonly ListFilter[];
  /** A button after the filters. */
  readonly filterAct?: ComponentChildren;
  readonly columns: readonly TableColumn<Row>[];
  readonly id?: (row: Row) => string;
  readonly href?: (row: Row) => string | null;
  readonly rowName?: (row: Row) => string;
  readonly sort?: string;
  readonly limit?: number;
  /** Shown while the list has no entries at all. A page adds the button that creates one. */
  readonly empty: EmptyStateProps;
  /** The actions on selected rows. */
  readonly bulk?: (
    chosen: readonly string[],
    rows: readonly Row[],
    /** Removes rows from the selection, or all of them. */
    clear: (done?: readonly string[]) => void,
  ) => ComponentChildren;
  readonly rowActs?: (row: Row) => ComponentChildren;
  /** Whether all rows belong to the merchant that the page already shows. */
  readonly of_one?: boolean;
  /** Whether the API pages this list only by cursors. */
  readonly by_cursor?: boolean;
}

/** Rows without an `id` of their own need a function for it. */
type Identified<Row> = Row extends { readonly id: string } ? unknown : { readonly id: (row: Row) => string };
const idOf = (row: unknown) => (row as { readonly id: string }).id;

/** The settings of a list: what it reads and how it shows it. */
export type ListSettings<Row> = ListBasics<Row> & Identified<Row>;

type ListRequest = Pick<ListBasics<never>, "search" | "filters" | "sort" | "limit" | "params">;

/** The API parameters of a list, from the address. */
export function listParams({ search, filters = [], sort, limit = 50, params = {} }: ListRequest): Params {
  const read = (name: string) => query.value.get(name);
  const set = filters.filter(isShown).map(({ param }) => [param, read(param)] as const);
  const chosen = Object.fromEntries(set.filter(([, value]) => value !== null));
  const found = search === undefined ? {} : { [search.param]: read(search.param) };
  return withTimes({
    ...params,
    ...chosen,
    ...found,
    sort: read("sort") ?? sort,
    page: read("page"),
    cursor: read("cursor"),
    limit,
  });
}

type ListPageProps<Row> = Omit<ListBasics<Row>, "name"> &
  Identified<Row> & {
    readonly title: string;
    /** The name under which the columns are stored; without it, the title. */
    readonly name?: string;
    /** Buttons, left of the one that creates a record. */
    readonly acts?: ComponentChildren;
    /** Creates a record, or opens the screen for it. */
    readonly create?: Action;
    /** The content above the list, such as saved views. */
    readonly above?: ComponentChildren;
  };

/** A screen with a list: title, count, search, filters, columns and pages, all kept in the address. */
export function ListPage<Row>(props: ListPageProps<Row>) {
  const { title, name = title, acts, create, above, empty, path } = props;
  const { data, previous, pagination } = useQuery<readonly Row[]>(path, listParams(props));
  const total = pagination?.total;
  useKeptPlace(data !== undefined && !previous);
  const creates = create !== undefined && isPossible(create);
  const button = creates && <ActionButton of={{ icon: "plus", button: "primary", ...create }} />;
  useShortcuts(creates ? [{ keys: "c", title: create.title, run: () => act(create) }] : []);
  return (
    <Page
      title={title}
      badge={total === undefined ? null : <span class="count">{count(total)}</span>}
      acts={(acts || button) && [acts, button]}
    >
      {above}
      <List<Row> {...props} name={name} empty={{ act: button, ...empty }} />
    </Page>
  );
}

/** Returns to where the user was on this list, once its rows are shown: the scroll position and the focused row. */
function useKeptPlace(shown: boolean): void {
  const [kept] = useState(placeBefore);
  const done = useRef(false);
  useEffect(() => {
    // Only once: other filters show other rows.
    if (!shown || kept === null || done.current) return;
    done.current = true;
    scrollBackTo(kept.scroll);
    const now = document.activeElement;
    if (kept.row === null || (now !== null && now !== document.body && now.tagName !== "H1")) return;
    const row = document.querySelector<HTMLElement>(`main tr[data-id="${CSS.escape(kept.row)}"]`);
    (row?.querySelector<HTMLElement>("a.row-link") ?? row)?.focus({ preventScroll: true });
  }, [shown]);
}

/** The most rows that can be selected at once. */
const selected_max = 500;
const page_max = 100;

/** The selected rows of a list. They are kept for the same search and filters, also on its other pages. */
function useSelection(path: string, request: Params) {
  const { page: _page, cursor: _cursor, limit: _limit, sort: _sort, ...of } = request;
  const rows_of = JSON.stringify([place.value.path, query.value.get("mode"), query.value.get("merchant"), of]);
  const [state, setState] = useState({ of: "", chosen: new Set<string>() as ReadonlySet<string> });
  const chosen = state.of === rows_of ? state.chosen : new Set(keptSelection(path, rows_of));
  const set = (next: ReadonlySet<string>) => {
    const all = new Set([...next].slice(0, selected_max));
    keepSelection(path, rows_of, [...all]);
    setState({ of: rows_of, chosen: all });
  };
  /** Removes rows from the selection as it is by then; without rows, all of them. */
  const clear = (done?: readonly string[]) =>
    set(new Set(done && keptSelection(path, rows_of).filter((id) => !done.includes(id))));
  return { chosen, set, clear };
}

/** The ids of all rows that match, in the order of the list, up to the maximum of a selection. */
async function matchingIds<Row>(path: string, request: Params, id: (row: Row) => string): Promise<readonly string[]> {
  const ids: string[] = [];
  let next: Params | null = { page: null, cursor: null };
  while (next !== null && ids.length < selected_max) {
    const address: string = withParams(path, { ...request, ...next, limit: page_max });
    const { data, pagination }: ApiReply<readonly Row[]> = await get<readonly Row[]>(address);
    ids.push(...data.map(id));
    next = pagination?.has_more ? { page: null, cursor: pagination.next_cursor } : null;
  }
  return ids.slice(0, selected_max);
}

/** A list as a part of a page. */
export function List<Row>(settings: ListSettings<Row>) {
  const { name, path, id = idOf, search, empty, bulk, limit = 50, of_one = false, by_cursor = false } = settings;
  const [columns, filters] = [settings.columns.filter(isShown), (settings.filters ?? []).filter(isShown)];
  const request = listParams(settings);
  const { data: rows, pagination, problem, loading, previous, reload } = useQuery<readonly Row[]>(path, request);
  const hidden = useHidden(name, columns);
  const { chosen, set: setChosen, clear: unselect } = useSelection(path, request);
  const names = [search?.param, ...filters.map(({ param }) => param)].filter((param) => param !== undefined);
  const filtered = names.some((param) => query.value.has(param));
  const nothing = rows?.length === 0 && !query.value.has("page") && !query.value.has("cursor");
  if (nothing && !filtered && !previous) return <EmptyState {...empty} />;
  const clear = () => setQuery(Object.fromEntries([...names, "page", "cursor"].map((param) => [param, null])));
  return (
    <>
      <Bar
        path={path}
        search={search}
        filters={filters}
        columns={of_one ? columns : withMerchant(columns, rows ?? [])}
        act={settings.filterAct}
        filtered={filtered}
        onClear={clear}
        hidden={hidden}
      />
      {problem && <Notice problem={problem} onRetry={reload} />}
      {loading && <Skeleton lines={10} />}
      {rows && nothing && (
        <EmptyState
          icon="search"
          title={words.nothingFound}
          text={words.nothingFoundText}
          act={<Button title={words.clearFilters} onClick={clear} />}
        />
      )}
      {rows && !nothing && (
        <DataTable
          name={name}
          rows={rows}
          columns={columns}
          id={id}
          {...(settings.href ? { href: settings.href } : {})}
          {...(settings.rowName ? { rowName: settings.rowName } : {})}
          {...(settings.rowActs ? { acts: settings.rowActs } : {})}
          stale={previous}
          of_one={of_one}
          selection={bulk && { chosen, set: setChosen }}
          hidden={new Set(hidden.state.value)}
          sort={{ by: String(request["sort"] ?? ""), set: (by) => setQuery({ sort: by, page: null, cursor: null }) }}
        />
      )}
      {pagination && <Pages pagination={pagination} shown={rows?.length ?? 0} limit={limit} by_cursor={by_cursor} />}
      {bulk && chosen.size > 0 && (
        <BulkBar
          count={chosen.size}
          total={pagination?.total ?? null}
          onAll={() => matchingIds<Row>(path, request, id).then((ids) => setChosen(new Set(ids)), showRefused)}
          onClear={() => unselect()}
        >
          {bulk(inListOrder(chosen, rows?.map(id) ?? []), rows?.filter((row) => chosen.has(id(row))) ?? [], unselect)}
        </BulkBar>
      )}
    </>
  );
}

/** Selected ids: those of other pages, then those of this page in its order. */
function inListOrder(chosen: ReadonlySet<string>, shown: readonly string[]): readonly string[] {
  const here = new Set(shown);
  return [...[...chosen].filter((id) => !here.has(id)), ...shown.filter((id) => chosen.has(id))];
}

interface BulkProps {
  readonly count: number;
  /** How many rows match; null if unknown. */
  readonly total: number | null;
  readonly onAll: () => void;
  readonly onClear: () => void;
  readonly children: ComponentChildren;
}

function BulkBar({ count: chosen, total, onAll, onClear, children }: BulkProps) {
  const all = Math.min(total ?? 0, selected_max);
  const more = all > chosen;
  const latest = useRef(onAll);
  latest.current = onAll;
  useShortcuts(more ? [{ keys: "A", title: words.selectAllOf(all), run: () => latest.current() }] : []);
  return (
    <div class="bulk-bar" role="region" aria-label={words.selected(chosen)}>
      <strong>{words.selected(chosen)}</strong>
      {more && <Button kind="plain" title={words.selectAllOf(all)} onClick={onAll} />}
      {children}
      <Button kind="plain" icon="close" iconOnly title={words.clearSelection} onClick={onClear} />
    </div>
  );
}

interface ListBarProps<Row> {
  readonly path: string;
  readonly search: ListRequest["search"];
  readonly filters: readonly ListFilter[];
  readonly columns: readonly TableColumn<Row>[];
  readonly act: ComponentChildren;
  readonly filtered: boolean;
  readonly onClear: () => void;
  readonly hidden: StoredPreference<readonly string[]>;
}

function Bar<Row>({ path, search, filters, columns, act, filtered, onClear, hidden }: ListBarProps<Row>) {
  if (search === undefined && filters.length === 0) return null;
  return (
    <div class="list-bar">
      {search && <SearchField key={path} param={search.param} hint={search.hint} />}
      {filters.map((filter) => (
        <FilterField key={filter.param} filter={filter} />
      ))}
      {act}
      {filtered && <Button kind="plain" icon="close" title={words.clearFilters} onClick={onClear} />}
      <span class="list-bar-end">
        <ColumnChooser columns={columns} hidden={hidden} />
      </span>
    </div>
  );
}

/** The search field of a list. The typed text goes into the address after a short pause. */
export function SearchField({ param, hint }: { readonly param: string; readonly hint: string }) {
  const current = query.value.get(param) ?? "";
  const [typed, setTyped] = useState(current);
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef(0);
  useEffect(() => {
    if (document.activeElement !== field.current) setTyped(current);
  }, [current]);
  const apply = (text: string) => {
    clearTimeout(timer.current);
    setQuery({ [param]: text.trim(), page: null, cursor: null });
  };
  return (
    <div class="search">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        aria-label={hint}
        placeholder={hint}
        value={typed}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          const text = event.currentTarget.value;
          setTyped(text);
          clearTimeout(timer.current);
          timer.current = window.setTimeout(() => apply(text), 180);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") apply(event.currentTarget.value);
          if (event.key === "Escape") {
            if (typed === "") field.current?.blur();
            setTyped("");
            apply("");
          }
        }}
      />
      <kbd>/</kbd>
    </div>
  );
}

function FilterField({ filter }: { readonly filter: ListFilter }) {
  const { param, title } = filter;
  const value = query.value.get(param) ?? "";
  const apply = (next: string) => setQuery({ [param]: next, page: null, cursor: null });
  const look = value === "" ? "filter" : "filter set";
  if (filter.kind === "flag") {
    const on = filter.value ?? "true";
    return (
      <button
        type="button"
        class={`${look} flag`}
        aria-pressed={value === on}
        onClick={() => apply(value === on ? "" : on)}
      >
        {title}
      </button>
    );
  }
  if (filter.kind === "choice") {
    const titleOf = (one: string) => filter.options.find((option) => option.value === one)?.title ?? one;
    // A link or a saved view may choose several values, which are one more option while they are chosen.
    const several = value.includes(",") ? [{ value, title: value.split(",").map(titleOf).join(", ") }] : [];
    const options = [...filter.options, ...several];
    return <Select class={look} aria-label={title} value={value} options={options} empty={title} onChoose={apply} />;
  }
  // A link or a saved view may choose a time. The field shows its day here; Swedish dates are written as ISO 8601.
  const [is_date, time] = [filter.kind === "date", timeOf(value)];
  const shown = is_date && time.includes("T") ? new Date(time).toLocaleDateString("sv") : value;
  return (
    <label class={look}>
      <span>{is_date && isDayWord(value) ? words.dayOf(title, value) : title}</span>
      <input type={filter.kind as "text"} value={shown} onChange={(event) => apply(event.currentTarget.value)} />
    </label>
  );
}

interface PagesProps {
  readonly pagination: Pagination;
  readonly shown: number;
  readonly limit: number;
  readonly by_cursor: boolean;
}

/** The pages of a list. */
function Pages({ pagination, shown, limit, by_cursor }: PagesProps) {
  const { page, total, next_cursor, has_more } = pagination;
  const go = (changes: Record<string, string | null>) => {
    setQuery(changes, { replace: false });
    window.scrollTo(0, 0);
  };
  if (page === undefined || by_cursor) {
    const inside = query.value.has("cursor");
    if (!inside && !has_more) return null;
    return (
      <nav class="pages" aria-label={words.pages}>
        {inside && <Button icon="left" title={words.first} onClick={() => go({ cursor: null })} />}
        <Button
          icon="right"
          title={words.next}
          disabled={!has_more}
          onClick={() => go({ cursor: next_cursor, page: null })}
        />
      </nav>
    );
  }
  if (page === 1 && !has_more) return null;
  const from = (page - 1) * limit + 1;
  return (
    <nav class="pages" aria-label={words.pages}>
      <span>{words.shown(from, from + shown - 1, total ?? null)}</span>
      <Button
        icon="left"
        iconOnly
        title={words.previous}
        disabled={page === 1}
        onClick={() => go({ page: page === 2 ? null : String(page - 1) })}
      />
      <Button
        icon="right"
        iconOnly
        title={words.next}
        disabled={!has_more}
        onClick={() => go({ page: String(page + 1) })}
      />
    </nav>
  );
}
