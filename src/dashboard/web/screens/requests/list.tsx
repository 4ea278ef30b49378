import type { LoggedRequest } from "../../api/developer_types.ts";
import { to } from "../../browser/router.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty_state.tsx";
import { ListPage } from "../../kit/list_page.tsx";
import { RecordName } from "../../kit/record_name.tsx";
import type { Column } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { bytes, count, nothing } from "../../texts/format.ts";
import { keyTexts } from "../../texts/keys.ts";
import { titles } from "../../texts/navigation.ts";
import { requestTexts as texts } from "../../texts/requests.ts";

/** The tone of a status. */
export function statusTone(status: number): Tone {
  if (status >= 500) return "bad";
  return status >= 400 ? "warning" : "good";
}

const size = (value: number | null) => (value === null ? nothing : bytes(value));

const columns: readonly Column<LoggedRequest>[] = [
  { id: "path", title: texts.path, cell: ({ method, path }) => <code>{`${method} ${path}`}</code>, wide: true },
  { id: "status", title: texts.status, cell: ({ status }) => <Badge tone={statusTone(status)}>{status}</Badge> },
  { id: "error", title: texts.error, cell: ({ error_code }) => error_code ?? "" },
  {
    id: "actor",
    title: texts.actor,
    cell: ({ actor_id }) => (actor_id === null ? texts.stranger : <RecordName id={actor_id} plain />),
  },
  { id: "took", title: texts.duration, align: "right", cell: (it) => texts.milliseconds(count(it.duration_ms)) },
  { id: "sent", title: texts.sent, align: "right", extra: true, cell: (it) => size(it.request_bytes) },
  { id: "answered", title: texts.answered, align: "right", cell: (it) => size(it.response_bytes) },
  { id: "address", title: texts.address, extra: true, cell: ({ ip_address }) => ip_address ?? nothing },
  { id: "id", title: texts.requestId, extra: true, cell: ({ request_id }) => <code>{request_id}</code> },
  { id: "at", title: texts.at, cell: ({ at }) => <Time at={at} /> },
];

/** The requests of the last days. */
export function RequestsScreen() {
  return (
    <ListPage<LoggedRequest>
      name={titles.requests}
      title={titles.requests}
      path="/requests"
      by_cursor
      params={{ dashboard_reads: false }}
      search={{ param: "q", hint: texts.search }}
      filters={[
        {
          kind: "choice",
          param: "status",
          title: texts.status,
          options: Object.entries(texts.statuses).map(([value, title]) => ({ value, title })),
        },
        {
          kind: "choice",
          param: "method",
          title: texts.method,
          options: ["GET", "POST", "PATCH", "PUT", "DELETE"].map((value) => ({ value, title: value })),
        },
        { kind: "flag", param: "dashboard_reads", title: texts.showReads },
        { kind: "text", param: "actor", title: texts.actor },
        { kind: "text", param: "route", title: texts.route },
        { kind: "date", param: "from", title: texts.from },
        { kind: "date", param: "to", title: texts.to },
      ]}
      columns={columns}
      id={({ id }) => id}
      href={({ id }) => to(`/settings/requests/${id}`)}
      empty={
        <EmptyState
          icon="list"
          title={texts.emptyTitle}
          text={`${texts.emptyText} ${texts.hiddenText}`}
          act={
            <>
              <LinkButton kind="primary" icon="key" title={keyTexts.add} href={to("/settings/keys")} />
              <LinkButton title={texts.showReads} href={to("/settings/requests", { dashboard_reads: "true" })} />
            </>
          }
        />
      }
    />
  );
}
