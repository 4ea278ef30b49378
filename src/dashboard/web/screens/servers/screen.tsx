import type { Server } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { Badge } from "../../kit/badge.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Page } from "../../kit/page.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { type Column, DataTable } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { serverTexts as texts } from "../../texts/servers.ts";
import { useProgress } from "../order/label/progress.ts";

const columns: readonly Column<Server>[] = [
  {
    ...{ id: "host", title: texts.host, wide: true },
    cell: ({ host, answers }) => (
      <>
        {host} {answers && <Badge tone="info">{texts.answers}</Badge>}
      </>
    ),
  },
  { id: "status", title: texts.status, cell: ({ status }) => <Badge state={status} /> },
  { id: "version", title: texts.version, cell: ({ version }) => version },
  { id: "migration", title: texts.migration, cell: ({ migration }) => <code>{migration}</code> },
  { id: "started", title: texts.started, cell: ({ started_at }) => <Time at={started_at} /> },
  { id: "seen", title: texts.seen, cell: ({ seen_at }) => <Time at={seen_at} /> },
];

// By it logs name a server, where there are several.
const number: Column<Server> = { id: "number", title: texts.number, align: "right", cell: (server) => server.number };

/** The servers that run, and which of them answers. */
export function ServersScreen() {
  const { data, problem, loading, reload } = useQuery<readonly Server[]>("/servers");
  useProgress(data !== undefined, reload);
  const alone = data?.every(({ number }) => number === null) ?? true;
  const versions = new Set(data?.map(({ version }) => version));
  return (
    <Page title={texts.title} below={texts.intro}>
      <div class="stack">
        {problem && <Notice problem={problem} onRetry={reload} />}
        {loading && <Skeleton lines={4} />}
        {versions.size > 1 && <Notice kind="warning">{texts.unlike}</Notice>}
        {data && (
          <>
            <DataTable
              name={texts.title}
              rows={data}
              columns={alone ? columns : [...columns, number]}
              id={({ number, host }) => `${number ?? host}`}
              of_one
            />
            <p class="muted">{alone ? texts.one : texts.several}</p>
          </>
        )}
      </div>
    </Page>
  );
}
