import type { Server } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { Badge } from "../../components/badge.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { useProgress } from "../../components/reading.ts";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { serverTexts as texts } from "../../text/settings.ts";

const columns: readonly TableColumn<Server>[] = [
  {
    id: "host",
    title: texts.host,
    wide: true,
    cell: ({ host, is_current }) => (
      <>
        {host} {is_current && <Badge tone="info">{texts.current}</Badge>}
      </>
    ),
  },
  { id: "status", title: words.status, cell: ({ status }) => <Badge state={status} /> },
  { id: "version", title: texts.version, text: "version" },
  { id: "migration", title: texts.migration, code: "migration" },
  { id: "started", title: texts.started, time: "started_at" },
  { id: "seen", title: words.lastSeen, time: "seen_at" },
];

// The number identifies a server in the logs if there are several.
const number: TableColumn<Server> = {
  id: "number",
  title: texts.number,
  align: "right",
  cell: (server) => server.number,
};

/** The running servers. The one that serves this page is marked. */
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
