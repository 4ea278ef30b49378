import { useEffect, useRef } from "preact/hooks";
import { post, saveFile } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import type { FileImportDetail } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button, LinkButton } from "../../components/button.tsx";
import { confirm } from "../../components/dialog.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { useProgress } from "../../components/reading.ts";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import { showRefused } from "../../components/toasts.tsx";
import { Figure, Figures } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { importTexts as texts } from "../../text/imports.ts";
import { kindsOfImports } from "./import_kinds.ts";
import { ImportMapping } from "./import_mapping.tsx";
import { ImportResults } from "./import_results.tsx";

/** Most files are checked in less than a second. */
const progress_ms = 700;

const isUnderWay = ({ status }: FileImportDetail) => status === "checking" || status === "importing";

/** An import: its columns, the check of its rows, its progress and its result. */
function ImportPage({ record, notice }: RecordProps<FileImportDetail>) {
  const { kind, status, file_name, encoding, separator } = record;
  const { title, back, start } = kindsOfImports[kind];
  const under_way = isUnderWay(record);
  const look = async () => refresh(new Set(["imports"]));
  useProgress(under_way, look, progress_ms);
  useListed(record);
  const below = texts.read(texts.encodings[encoding] ?? encoding, texts.separators[separator] ?? separator);
  return (
    <Page
      title={file_name ?? title}
      badge={<Badge of="file_import" state={status} />}
      below={below}
      owned={record}
      back={{ href: to(start), title }}
      acts={
        <>
          <ActionButton of={cancelOf(record)} />
          {!record.allowed_actions.includes("cancel") && (
            <LinkButton icon="upload" title={texts.another} href={to(start)} />
          )}
        </>
      }
    >
      <div class="stack">
        {notice}
        {record.problem && <Refusal problem={record.problem} />}
        {status === "mapping" && (
          <Card title={texts.columns}>
            <ImportMapping record={record} submit={texts.check} />
          </Card>
        )}
        {under_way && <Working record={record} />}
        {status === "cancelled" && <Notice kind="warning">{texts.cancelled}</Notice>}
        {(status === "checked" || status === "done") && <Outcome record={record} go={back.path} />}
      </div>
    </Page>
  );
}

/** Reads the rows again once the check or the import has ended. */
function useListed({ status }: FileImportDetail): void {
  const before = useRef(status);
  useEffect(() => {
    if (before.current !== status) refresh(new Set(["imports"]));
    before.current = status;
  }, [status]);
}

const cancelOf = ({ id, allowed_actions, status }: FileImportDetail): Action => ({
  title: texts.cancel,
  button: true,
  when: allowed_actions.includes("cancel"),
  ...(status === "importing" && {
    ask: { title: texts.cancelTitle, text: texts.cancelText, submit: texts.cancel },
  }),
  call: { method: "POST", path: `/imports/${id}/cancel` },
  after: () => refresh(new Set(["imports"])),
});

function Refusal({ problem }: { readonly problem: NonNullable<FileImportDetail["problem"]> }) {
  return (
    <Notice kind="problem">
      <p>{problem.message}</p>
    </Notice>
  );
}

/** The progress of a check or an import. */
function Working({ record: { status, rows, rows_done } }: { readonly record: FileImportDetail }) {
  const title = status === "checking" ? texts.checking : texts.importing;
  return (
    <Card>
      <div class="working" role="status">
        <strong>{title}</strong>
        <progress aria-label={title} {...(rows === null ? {} : { value: rows_done, max: Math.max(rows, 1) })} />
        <span class="muted">
          {texts.progress(rows_done, rows)}. {texts.leave}
        </span>
      </div>
    </Card>
  );
}

const noticeOf = ({ status, created, updated, failed }: FileImportDetail) => {
  if (status === "done") return failed > 0 ? texts.doneWithErrors : texts.done;
  if (created + updated > 0) return texts.checked;
  return failed > 0 ? texts.allRejected : texts.nothingToDo;
};

/** What a file would change, or has changed. */
function Outcome({ record, go }: { readonly record: FileImportDetail; readonly go: string }) {
  const { id, kind, status, rows, created, updated, unchanged, failed, remembered } = record;
  const some = created + updated;
  const run = async () => {
    const agreed = await confirm({
      title: texts.takeTitle(some),
      text: texts.takeText(created, updated, failed),
      act: texts.take(some),
    });
    if (!agreed) return;
    await post(`/imports/${id}/run`, {});
    refresh(new Set(["imports"]));
  };
  const saveRejected = () => saveFile(`/imports/${id}/rejected.csv`, "rejected_rows.csv", "text/csv", { bom: true });
  const tone = status === "done" ? "done" : some === 0 && failed > 0 ? "warning" : "info";
  return (
    <>
      <Notice kind={tone}>
        <p>{noticeOf(record)}</p>
      </Notice>
      <Figures>
        <Figure name={texts.rows} value={count(rows ?? 0)} />
        <Figure name={texts.created} value={count(created)} />
        <Figure name={words.updated} value={count(updated)} />
        <Figure name={texts.unchanged} value={count(unchanged)} />
        <Figure name={texts.rejected} value={<span class={failed > 0 ? "minus" : ""}>{count(failed)}</span>} />
      </Figures>
      <div class="row">
        {status === "checked" && some > 0 && (
          <Button kind="primary" icon="check" title={texts.take(some)} onClick={() => void run().catch(showRefused)} />
        )}
        {status === "done" && <LinkButton kind="primary" title={kindsOfImports[kind].go} href={to(go)} />}
        {failed > 0 && (
          <Button icon="download" title={texts.rejectedFile} onClick={() => void saveRejected().catch(showRefused)} />
        )}
      </div>
      {status === "checked" && (
        <Card>
          {remembered && <p class="muted">{texts.remembered}</p>}
          <details class="import-terms" open={some === 0 && failed > 0}>
            <summary>{texts.change}</summary>
            <ImportMapping record={record} submit={texts.checkAgain} />
          </details>
        </Card>
      )}
      <ImportResults record={record} />
    </>
  );
}

export const ImportScreen = recordScreen<FileImportDetail>("/imports/:id", ImportPage);
