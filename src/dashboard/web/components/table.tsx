// Tables that render only the rows near the window.
import { observeWindowOffset, observeWindowRect, Virtualizer, windowScroll } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import { ownerOf, showsSeveral } from "../api/merchants.ts";
import { density, isTexts, type StoredPreference, storedPreference } from "../browser/preferences.ts";
import { navigate } from "../browser/router.ts";
import { useShortcuts } from "../browser/shortcuts.ts";
import { words } from "../text/common.ts";
import { count } from "../text/format.ts";
import { merchantTexts } from "../text/merchants.ts";
import { MerchantMark } from "./badge.tsx";
import { Icon } from "./icon.tsx";
import { Menu } from "./menu.tsx";
import { Time } from "./values.tsx";

/** A range of rows, with the height of the rows above and below. */
interface RowWindow {
  readonly first: number;
  readonly last: number;
  readonly above: number;
  readonly below: number;
}

interface RowWindowSettings {
  readonly count: number;
  readonly row_height: number;
  /** The offset of the list from the top of the page. */
  readonly from: () => number;
}

/** The rows to render of a list that scrolls with the page. */
function useWindowRows({ count, row_height, from }: RowWindowSettings): RowWindow {
  const [, redraw] = useReducer<number, void>((drawn) => drawn + 1, 0);
  const options = {
    count,
    getScrollElement: () => window,
    estimateSize: () => row_height,
    scrollToFn: windowScroll,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    overscan: 12,
    scrollMargin: from(),
    onChange: () => redraw(),
  };
  const [rows] = useState(() => new Virtualizer<Window, Element>(options));
  rows.setOptions(options);
  useEffect(() => rows._didMount(), []);
  useLayoutEffect(() => rows._willUpdate());
  return rowWindowOf(rows, count);
}

function rowWindowOf<From extends Window | HTMLElement>(rows: Virtualizer<From, Element>, count: number): RowWindow {
  const drawn = rows.getVirtualItems();
  const [top, bottom] = [drawn[0], drawn.at(-1)];
  const margin = rows.options.scrollMargin;
  return {
    first: top?.index ?? 0,
    last: bottom === undefined ? Math.min(count, 40) - 1 : bottom.index,
    above: top === undefined ? 0 : top.start - margin,
    below: bottom === undefined ? 0 : rows.getTotalSize() - (bottom.end - margin),
  };
}

/** The fields of a row with values of a type. */
type FieldOf<Row, Value> = { [Name in keyof Row]-?: Row[Name] extends Value ? Name : never }[keyof Row];

/** What a column shows: a field as text, code, time or number, or anything else. */
type CellOf<Row> =
  | { readonly text: FieldOf<Row, string | number | null | undefined> }
  | { readonly code: FieldOf<Row, string | null | undefined> }
  | { readonly time: FieldOf<Row, string | null | undefined> }
  | { readonly number: FieldOf<Row, number | null | undefined> }
  | { readonly cell: (row: Row) => ComponentChildren };

/** A column of a table. */
export type TableColumn<Row> = CellOf<Row> & {
  readonly id: string;
  readonly title: string;
  /** Fields that are numbers are aligned right without it. */
  readonly align?: "right";
  /** The sort key of the API; `-key` sorts in descending order. */
  readonly sort?: string;
  /** Hidden until the user chooses it. */
  readonly extra?: true;
  /** Takes the remaining width. */
  readonly wide?: true;
  /** Whether the table has this column. */
  readonly when?: boolean;
};

const alignOf = <Row,>(column: TableColumn<Row>) => ("number" in column ? "right" : column.align);

function shownIn<Row>(column: TableColumn<Row>, row: Row): ComponentChildren {
  if ("cell" in column) return column.cell(row);
  if ("text" in column) return row[column.text] as string;
  if ("code" in column) return <code>{row[column.code] as string}</code>;
  if ("time" in column) return <Time at={row[column.time] as string | null} />;
  return count(row[column.number] as number | null);
}

/** The selected rows and how to change them. */
interface Selection {
  readonly chosen: ReadonlySet<string>;
  readonly set: (chosen: ReadonlySet<string>) => void;
}

interface DataTableProps<Row> {
  /** The accessible name of the table, under which its columns are stored. */
  readonly name: string;
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn<Row>[];
  readonly id: (row: Row) => string;
  readonly href?: (row: Row) => string | null;
  readonly sort?: { readonly by: string; readonly set: (by: string) => void } | undefined;
  readonly selection?: Selection | undefined;
  /** The short name of a row, for its checkbox. */
  readonly rowName?: (row: Row) => string;
  /** Dims the rows while others are loading. */
  readonly stale?: boolean;
  readonly hidden?: ReadonlySet<string> | undefined;
  /** The actions at the end of a row. */
  readonly acts?: ((row: Row) => ComponentChildren) | undefined;
  /** Whether all rows belong to the merchant that the page already shows. */
  readonly of_one?: boolean;
  /** Shown in place of a table without rows. */
  readonly none?: string;
}

const virtual_from = 150;

/** Adds a merchant column after the first one if the rows may belong to several merchants. */
export function withMerchant<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
): readonly TableColumn<Row>[] {
  const [first, ...others] = columns;
  if (first === undefined || !showsSeveral.value || rows.every((row) => ownerOf(row as object) === undefined))
    return columns;
  const cell = (row: Row) => <MerchantMark of={ownerOf(row as object)} />;
  return [first, { id: "merchant", title: merchantTexts.merchant, cell }, ...others];
}

/** A table with row links, sorting, selection, keys `j` and `k`, and cards on phones. Renders only visible rows. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { none, rows } = props;
  return none !== undefined && rows.length === 0 ? <p class="muted">{none}</p> : <FilledTable {...props} />;
}

function FilledTable<Row>(props: DataTableProps<Row>) {
  const { name, rows, stale = false, of_one = false } = props;
  const own = props.columns.filter(({ when = true }) => when);
  const columns = of_one ? own : withMerchant(own, rows);
  const { hidden = new Set(columns.flatMap(({ id, extra }) => (extra ? id : []))) } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const shown = columns.filter(({ id }) => !hidden.has(id));
  useListKeys(body, props);
  return (
    <div class={stale ? "table-box stale" : "table-box"} role="region" aria-label={name} tabIndex={0}>
      <table class="table">
        <Head {...props} columns={shown} />
        {rows.length > virtual_from ? (
          <LongBody {...props} columns={shown} body={body} />
        ) : (
          <tbody ref={body}>
            {rows.map((row) => (
              <Line key={props.id(row)} {...props} columns={shown} row={row} />
            ))}
          </tbody>
        )}
      </table>
    </div>
  );
}

function Head<Row>({ rows, columns, id, selection, sort, acts }: DataTableProps<Row>) {
  const all = selection !== undefined && rows.length > 0 && rows.every((row) => selection.chosen.has(id(row)));
  return (
    <thead>
      <tr>
        {selection && (
          <th class="select">
            <input
              type="checkbox"
              aria-label={words.selectAll}
              checked={all}
              onChange={() => selection.set(new Set(all ? [] : [...selection.chosen, ...rows.map(id)]))}
            />
          </th>
        )}
        {columns.map((column) => (
          <th key={column.id} class={alignOf(column)} aria-sort={sortOf(column, sort?.by)} scope="col">
            {column.sort && sort ? <SortButton column={column} sort={sort} /> : column.title}
          </th>
        ))}
        {acts && (
          <th class="acts">
            <span class="unseen">{words.more}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

function sortOf<Row>({ sort }: TableColumn<Row>, by: string | undefined) {
  if (sort === undefined || by === undefined || by.replace("-", "") !== sort) return undefined;
  return by.startsWith("-") ? ("descending" as const) : ("ascending" as const);
}

function SortButton<Row>({
  column,
  sort,
}: {
  readonly column: TableColumn<Row>;
  readonly sort: NonNullable<DataTableProps<Row>["sort"]>;
}) {
  const now = sortOf(column, sort.by);
  const word = column.sort ?? "";
  return (
    <button type="button" class="plain sort" onClick={() => sort.set(sort.by === `-${word}` ? word : `-${word}`)}>
      {column.title}
      {now && <Icon name={now === "ascending" ? "arrowUp" : "arrowDown"} size={13} />}
    </button>
  );
}

interface TableRowProps<Row> extends DataTableProps<Row> {
  readonly row: Row;
}

function Line<Row>({ row, columns, id, href, selection, rowName, acts }: TableRowProps<Row>) {
  const own = id(row);
  const chosen = selection?.chosen.has(own) ?? false;
  const link = href?.(row) ?? null;
  const toggle = () => {
    if (selection === undefined) return;
    const next = new Set(selection.chosen);
    if (!next.delete(own)) next.add(own);
    selection.set(next);
  };
  return (
    <tr
      data-id={own}
      tabIndex={-1}
      class={[link ? "linked" : "", chosen ? "chosen" : ""].join(" ").trim() || undefined}
      onClick={(event) => {
        const target = event.target as Element;
        if (link === null || target.closest("a, button, input, label, select") !== null) return;
        if (window.getSelection()?.toString()) return;
        if (event.ctrlKey || event.metaKey) window.open(link, "_blank");
        else navigate(link);
      }}
    >
      {selection && (
        <td class="select">
          <input
            type="checkbox"
            aria-label={`${words.select} ${rowName?.(row) ?? own}`}
            checked={chosen}
            onChange={toggle}
          />
        </td>
      )}
      {columns.map((column, at) => (
        <td
          key={column.id}
          class={[alignOf(column), column.wide ? "wide" : ""].join(" ").trim() || undefined}
          data-label={column.title}
        >
          {at === 0 && link ? (
            <a class="row-link" href={link}>
              {shownIn(column, row)}
            </a>
          ) : (
            shownIn(column, row)
          )}
        </td>
      ))}
      {acts && <td class="acts">{acts(row)}</td>}
    </tr>
  );
}

function LongBody<Row>({
  body,
  ...props
}: DataTableProps<Row> & { readonly body: { current: HTMLTableSectionElement | null } }) {
  const { rows, columns, id } = props;
  const row_height = density.state.value === "compact" ? 36 : 44;
  const from = () => (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
  const { first, last, above, below } = useWindowRows({ count: rows.length, row_height, from });
  const across = columns.length + 2;
  return (
    <tbody ref={body}>
      {above > 0 && (
        <tr aria-hidden="true" class="room">
          <td colSpan={across} style={{ height: `${above}px` }} />
        </tr>
      )}
      {rows.slice(first, last + 1).map((row) => (
        <Line key={id(row)} {...props} row={row} />
      ))}
      {below > 0 && (
        <tr aria-hidden="true" class="room">
          <td colSpan={across} style={{ height: `${below}px` }} />
        </tr>
      )}
    </tbody>
  );
}

/** The rows of tables and, marked with `data-row`, the items of other lists. */
const row_selector = "main tr[data-id], main [data-row]";
const shownRows = () =>
  [...document.querySelectorAll<HTMLElement>(row_selector)].filter((row) => row.checkVisibility());
const focusedRow = () => document.activeElement?.closest<HTMLElement>(row_selector) ?? null;

/** Whether a row or its link has the focus. Buttons and checkboxes of a row handle Space themselves. */
const isRow = (focused: Element | null) => focused?.matches("tr, a.row-link") === true;

/** Moves the focus to the next or previous row, through all lists of the page. The row's link takes it, if any. */
function focusRow(step: 1 | -1): void {
  const all = shownRows();
  const now = focusedRow();
  const next = now === null ? all[0] : all[all.indexOf(now) + step];
  const link = next?.querySelector<HTMLElement>("a.row-link") ?? next?.querySelector<HTMLElement>("a");
  (link ?? next)?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

const rowKeys = [
  { keys: "j", title: words.nextRow, run: () => focusRow(1) },
  { keys: "k", title: words.previousRow, run: () => focusRow(-1) },
] as const;
const openKey = { keys: "Enter", title: words.openRow } as const;

/** The keys of a list that is no table. Its items are marked with `data-row`. */
export const useRowKeys = (): void => useShortcuts([...rowKeys, openKey]);

/**
 * The keys of a table: `j` and `k` move among the rows, Enter opens one, `x` or Space selects it, `X` all rows from the
 * last selected one, and `a` all rows.
 */
function useListKeys<Row>(body: { readonly current: HTMLElement | null }, props: DataTableProps<Row>): void {
  const { selection, href } = props;
  const latest = useRef(props);
  latest.current = props;
  const last = useRef<string | null>(null);
  const focused = (): string | null => {
    const row = focusedRow();
    return row !== null && body.current?.contains(row) ? (row.dataset["id"] ?? null) : null;
  };
  const toggle = () => {
    const [own, now] = [focused(), latest.current.selection];
    if (own === null || now === undefined) return;
    const next = new Set(now.chosen);
    if (!next.delete(own)) next.add(own);
    last.current = own;
    now.set(next);
  };
  const toggleRange = () => {
    const { rows, id, selection: now } = latest.current;
    const own = focused();
    if (own === null || now === undefined) return;
    now.set(new Set([...now.chosen, ...between(rows.map(id), last.current ?? own, own)]));
    last.current = own;
  };
  const toggleAll = () => {
    const { rows, id, selection: now } = latest.current;
    if (now === undefined) return;
    const all = rows.every((row) => now.chosen.has(id(row)));
    now.set(all ? new Set() : new Set([...now.chosen, ...rows.map(id)]));
  };
  useShortcuts([
    ...rowKeys,
    ...(href === undefined ? [] : [openKey]),
    ...(selection === undefined
      ? []
      : [
          { keys: "x", title: words.selectRow, run: toggle },
          { keys: "Space", title: words.selectRow, run: toggle, when: isRow },
          { keys: "X", title: words.selectRange, run: toggleRange },
          { keys: "a", title: words.selectAll, run: toggleAll },
        ]),
  ]);
}

/** The ids from one to another, in either direction. */
function between(ids: readonly string[], from: string, until: string): readonly string[] {
  const [a, b] = [ids.indexOf(from), ids.indexOf(until)];
  return a < 0 ? [until] : ids.slice(Math.min(a, b), Math.max(a, b) + 1);
}

const hiddenBy = new Map<string, StoredPreference<readonly string[]>>();

/** The hidden columns of a table, stored under its name. */
export function useHidden<Row>(
  name: string,
  columns: readonly TableColumn<Row>[],
): StoredPreference<readonly string[]> {
  const [own] = useState(() => {
    const first = columns.flatMap(({ id, extra }) => (extra ? id : []));
    const found = hiddenBy.get(name) ?? storedPreference(`hidden.${name}`, first as readonly string[], isTexts);
    hiddenBy.set(name, found);
    return found;
  });
  return own;
}

interface ChooserProps<Row> {
  readonly columns: readonly TableColumn<Row>[];
  readonly hidden: StoredPreference<readonly string[]>;
}

/** A menu to choose the columns. The first one always stays. */
export function ColumnChooser<Row>({ columns, hidden }: ChooserProps<Row>) {
  const now = hidden.state.value;
  return (
    <Menu
      name={words.columns}
      class="button icon-only"
      label={<Icon name="columns" />}
      items={columns.slice(1).map(({ id, title }) => ({
        title,
        checked: !now.includes(id),
        several: true,
        run: () => hidden.set(now.includes(id) ? now.filter((one) => one !== id) : [...now, id]),
      }))}
    />
  );
}
