import { useQuery } from "../../api/query.ts";
import type { ExceptionCounts, ExceptionRow } from "../../api/types.ts";
import { query, to } from "../../browser/router.ts";
import { choice, ListPage } from "../../components/list_page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { titles } from "../../text/navigation.ts";
import { exceptionTexts as texts } from "../../text/today.ts";
import { useWarehouses } from "../stock/stock_links.ts";

const pathOf = ({ dashboard_path }: ExceptionRow) => to(dashboard_path.slice("/dashboard".length));

const columns: readonly TableColumn<ExceptionRow>[] = [
  { id: "name", title: texts.what, text: "name" },
  { id: "kind", title: texts.kind, cell: ({ kind }) => texts.kinds[kind] },
  {
    id: "todo",
    title: texts.todo,
    wide: true,
    cell: ({ cause, action }) => (
      <div class="exception">
        <span>{cause}</span>
        <small>{action}</small>
      </div>
    ),
  },
  { id: "since", title: words.since, time: "since" },
];

/** Everything that needs a person, and what to do about it. */
export function ExceptionsScreen() {
  const { filter } = useWarehouses();
  const orders = [
    { value: "since", title: texts.oldest },
    { value: "-since", title: texts.newest },
  ];
  return (
    <ListPage<ExceptionRow>
      title={titles.exceptions}
      path="/exceptions"
      params={{ kind: query.value.get("kind") }}
      above={<Kinds />}
      filters={[filter(words.warehouse, "warehouse_id"), choice("sort", texts.sort, orders)]}
      columns={columns}
      href={pathOf}
      empty={{ icon: "done", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

/** A link to each kind that has exceptions, with their number. */
function Kinds() {
  const warehouse_id = query.value.get("warehouse_id");
  const { data } = useQuery<ExceptionCounts>("/exceptions/counts", { warehouse_id });
  const chosen = query.value.get("kind");
  const linkTo = (kind: string | null) => to("/exceptions", { kind, warehouse_id, sort: query.value.get("sort") });
  if (data === undefined) return null;
  const shown = data.kinds.filter((one) => one.count > 0 || one.kind === chosen);
  return (
    <nav class="views" aria-label={texts.byKind}>
      <Kind title={words.all} number={data.total} href={linkTo(null)} current={chosen === null} />
      {shown.map(({ kind, count: number }) => (
        <Kind key={kind} title={texts.kinds[kind]} number={number} href={linkTo(kind)} current={kind === chosen} />
      ))}
    </nav>
  );
}

interface KindProps {
  readonly title: string;
  readonly number: number;
  readonly href: string;
  readonly current: boolean;
}

function Kind({ title, number, href, current }: KindProps) {
  return (
    <span class="view">
      <a href={href} {...(current && { "aria-current": "page" })}>
        {title}
        <span class="count">{count(number)}</span>
      </a>
    </span>
  );
}

/** A link to all exceptions with their number, if there are any. */
export function ExceptionsLink() {
  const { data } = useQuery<ExceptionCounts>("/exceptions/counts");
  if (data === undefined || data.total === 0) return null;
  return <a href={to("/exceptions")}>{texts.viewAll(count(data.total))}</a>;
}
