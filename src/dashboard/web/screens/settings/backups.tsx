import type { BackupRun, BackupSettings } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { List } from "../../components/list_page.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { CopyField, DescriptionList, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { bytes } from "../../text/format.ts";
import { backupTexts as texts } from "../../text/settings.ts";

/** The state of backups, a button to back up now, and the log. */
export function BackupsScreen() {
  const { data, problem, loading, reload } = useQuery<BackupSettings>("/backups/settings");
  return (
    <Page title={texts.title} below={texts.intro} acts={data?.configured && <ActionButton of={backUp} />}>
      <div class="stack">
        {problem && <Notice problem={problem} onRetry={reload} />}
        {loading && <Skeleton lines={8} />}
        {data?.late && (
          <Notice kind="warning">
            <p>
              {texts.late}. {texts.lateText}
            </p>
          </Notice>
        )}
        {data && (data.configured ? <State settings={data} /> : <NotSet />)}
        {data && (data.configured || data.last !== null) && <Runs />}
      </div>
    </Page>
  );
}

const backUp: Action = {
  title: texts.now,
  icon: "copy",
  button: "primary",
  done: texts.started,
  call: { method: "POST", path: "/backups" },
};

function State({ settings }: { readonly settings: BackupSettings }) {
  const { last, last_restore_test, next_at, destination, every_minutes, keep, with_key, continuous } = settings;
  return (
    <>
      <Card title={words.status}>
        <DescriptionList
          facts={[
            [texts.last, last === null ? texts.never : <Time at={last.ended_at} />],
            [texts.lastOf, last?.live && <Time at={last.live.at} exact />],
            [words.size, last && bytes(last.size_bytes ?? 0)],
            [texts.lastPlace, last && <code>{last.destination}</code>],
            [
              texts.proven,
              <>
                {last_restore_test === null ? texts.never : <Time at={last_restore_test.ended_at} />}{" "}
                <span class="muted">{texts.provenHint}</span>
              </>,
            ],
            [texts.next, <Time key="next" at={next_at} />],
            [texts.shipped, continuous && <ShippedUntil of={continuous} />],
          ]}
        />
      </Card>
      <Card title={texts.settings}>
        <div class="stack">
          <DescriptionList
            facts={[
              [words.location, <code key="place">{destination}</code>],
              [texts.every, every_minutes && texts.everyOf(every_minutes)],
              [texts.keep, keep && texts.keepOf(keep.hours, keep.days, keep.months)],
              [texts.key, texts.keyOf(with_key)],
            ]}
          />
          <p class="muted">{texts.setBy}</p>
        </div>
      </Card>
    </>
  );
}

function ShippedUntil({ of }: { readonly of: NonNullable<BackupSettings["continuous"]> }) {
  const { shipped_until, late, waiting_bytes, problem } = of;
  return (
    <>
      {shipped_until === null ? texts.never : <Time at={shipped_until} />}{" "}
      {late ? (
        <strong>
          {texts.shippedLate} {problem}
        </strong>
      ) : (
        <span class="muted">
          {texts.ships} {waiting_bytes > 0 && texts.pending(bytes(waiting_bytes))}
        </span>
      )}
    </>
  );
}

/** Instructions while no location is set. */
function NotSet() {
  return (
    <Card title={texts.none}>
      <div class="stack">
        <p>{texts.noneText}</p>
        <h3>{texts.example}</h3>
        {texts.exampleLines.map((line) => (
          <p key={line}>
            <CopyField text={line} name={line.slice(line.indexOf("--"))} />
          </p>
        ))}
        <p class="muted">{texts.exampleText}</p>
      </div>
    </Card>
  );
}

const took = ({ started_at, ended_at }: BackupRun) =>
  started_at !== null && ended_at !== null && texts.tookOf((Date.parse(ended_at) - Date.parse(started_at)) / 1000);

const columns: readonly TableColumn<BackupRun>[] = [
  { id: "created", title: words.when, time: "created_at" },
  { id: "kind", title: texts.kind, cell: ({ kind }) => texts.kinds[kind] },
  { id: "status", title: words.status, cell: ({ status }) => <Badge state={status} /> },
  { id: "size", title: words.size, align: "right", cell: ({ size_bytes }) => size_bytes !== null && bytes(size_bytes) },
  { id: "took", title: words.duration, align: "right", extra: true, cell: took },
  {
    id: "where",
    title: words.location,
    wide: true,
    cell: ({ destination, error }) => error ?? <code>{destination}</code>,
  },
];

function Runs() {
  return (
    <Card title={texts.runs} flush>
      <List<BackupRun>
        name={texts.runs}
        path="/backups"
        columns={columns}
        empty={{ icon: "copy", title: texts.emptyTitle, text: texts.emptyText }}
      />
    </Card>
  );
}
