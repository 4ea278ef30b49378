import type { LoggedRequest } from "../../api/developer_types.ts";
import { to } from "../../browser/router.ts";
import { Badge } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { choice, ListPage } from "../../components/list_page.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import { RecordName } from "../../components/record_name.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { CopyField, DescriptionList, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { bytes, count, nothing } from "../../text/format.ts";
import { keyTexts } from "../../text/keys.ts";
import { titles } from "../../text/navigation.ts";
import { requestTexts as texts } from "../../text/requests.ts";
import type { Tone } from "../../text/states.ts";

/** The tone of a status. */
function statusTone(status: number): Tone {
  if (status >= 500) return "bad";
  return status >= 400 ? "warning" : "good";
}

const size = (value: number | null) => (value === null ? nothing : bytes(value));

const columns: readonly TableColumn<LoggedRequest>[] = [
  { id: "path", title: texts.path, cell: ({ method, path }) => <code>{`${method} ${path}`}</code>, wide: true },
  { id: "status", title: words.status, cell: ({ status }) => <Badge tone={statusTone(status)}>{status}</Badge> },
  { id: "error", title: texts.error, text: "error_code" },
  {
    id: "actor",
    title: texts.actor,
    cell: ({ actor_id }) => (actor_id === null ? texts.unauthenticated : <RecordName id={actor_id} plain />),
  },
  { id: "took", title: words.duration, align: "right", cell: (it) => texts.milliseconds(count(it.duration_ms)) },
  { id: "sent", title: texts.requestBody, align: "right", extra: true, cell: (it) => size(it.request_bytes) },
  { id: "answered", title: texts.responseBody, align: "right", cell: (it) => size(it.response_bytes) },
  { id: "address", title: texts.address, extra: true, cell: ({ ip_address }) => ip_address ?? nothing },
  { id: "id", title: texts.requestId, code: "request_id", extra: true },
  { id: "at", title: words.when, time: "at" },
];

/** The requests of the last days. */
export function RequestsScreen() {
  return (
    <ListPage<LoggedRequest>
      title={titles.requests}
      path="/requests"
      by_cursor
      params={{ dashboard_reads: false }}
      search={{ param: "q", hint: texts.search }}
      filters={[
        choice("status", words.status, optionsOf(texts.statuses)),
        choice("method", texts.method, optionsOf(["GET", "POST", "PATCH", "PUT", "DELETE"])),
        { kind: "flag", param: "dashboard_reads", title: texts.showReads },
        { kind: "text", param: "actor", title: texts.actor },
        { kind: "text", param: "route", title: texts.route },
        { kind: "date", param: "created_after", title: texts.from },
        { kind: "date", param: "created_before", title: texts.to },
      ]}
      columns={columns}
      href={({ id }) => to(`/settings/requests/${id}`)}
      empty={{
        icon: "list",
        title: texts.emptyTitle,
        text: `${texts.emptyText} ${texts.hiddenText}`,
        act: (
          <>
            <LinkButton kind="primary" icon="key" title={keyTexts.add} href={to("/settings/keys")} />
            <LinkButton title={texts.showReads} href={to("/settings/requests", { dashboard_reads: "true" })} />
          </>
        ),
      }}
    />
  );
}

/** One request: its parameters, sender and response. */
export const RequestScreen = recordScreen("/requests/:id", RequestPage);

function RequestPage({ record: request, back }: RecordProps<LoggedRequest>) {
  const { status, error_code, route, actor_id } = request;
  return (
    <Page
      title={`${request.method} ${request.path}`}
      back={back}
      badge={<Badge tone={statusTone(status)}>{status}</Badge>}
      below={<Time at={request.at} exact />}
    >
      <Columns
        main={
          <Card title={words.details}>
            <DescriptionList
              facts={[
                [texts.requestId, <CopyField text={request.request_id} name={texts.requestId} />],
                [texts.path, <code>{request.path}</code>],
                [texts.query, request.query === "" ? null : <code>{request.query}</code>],
                [
                  texts.route,
                  route && (
                    <a href={to(`/settings/requests?dashboard_reads=true&route=${encodeURIComponent(route)}`)}>
                      {route}
                    </a>
                  ),
                ],
                [texts.error, error_code && <a href={`/docs/errors#${error_code}`}>{error_code}</a>],
                [words.duration, texts.milliseconds(count(request.duration_ms))],
                [texts.requestBody, request.request_bytes === null ? null : bytes(request.request_bytes)],
                [texts.responseBody, request.response_bytes === null ? null : bytes(request.response_bytes)],
              ]}
            />
            <p class="muted">{texts.notStored}</p>
          </Card>
        }
        side={
          <Card title={texts.who}>
            <DescriptionList
              facts={[
                [texts.actor, actor_id === null ? texts.unauthenticated : <Actor id={actor_id} />],
                [texts.address, request.ip_address],
              ]}
            />
            {actor_id !== null && (
              <a href={to(`/settings/requests?dashboard_reads=true&actor=${actor_id}`)}>{texts.ofActor}</a>
            )}
          </Card>
        }
      />
    </Page>
  );
}

function Actor({ id }: { readonly id: string }) {
  return <RecordName id={id} />;
}
