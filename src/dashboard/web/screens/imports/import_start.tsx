import { useState } from "preact/hooks";
import type { ImportKind } from "../../../../imports/file_import.transitions.ts";
import { sendCsv } from "../../api/client.ts";
import { mustName } from "../../api/merchants.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import type { FileImport } from "../../api/types.ts";
import { merchantOfPage, navigate, to } from "../../browser/router.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { FileDrop } from "../../components/file_input.tsx";
import { List } from "../../components/list_page.tsx";
import { PageMerchant } from "../../components/merchant_field.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { showRefused } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { importTexts as texts } from "../../text/imports.ts";
import { kindsOfImports } from "./import_kinds.ts";

const bytes_max = 10 << 20;

const columns: readonly TableColumn<FileImport>[] = [
  { id: "file", title: texts.file, cell: ({ file_name }) => file_name ?? texts.noName, wide: true },
  { id: "status", title: words.status, cell: ({ status }) => <Badge of="file_import" state={status} /> },
  { id: "rows", title: texts.rows, number: "rows" },
  { id: "created", title: texts.created, number: "created" },
  { id: "updated", title: words.updated, number: "updated" },
  { id: "failed", title: texts.errors, number: "failed" },
  { id: "at", title: words.created, time: "created_at" },
];

/** The first step of an import: a file is chosen or dropped. */
function ImportStart({ kind }: { readonly kind: ImportKind }) {
  const { title, text, back, save } = kindsOfImports[kind];
  const [problem, setProblem] = useState<ApiProblem | string | null>(null);
  const [uploading, setUploading] = useState<string | null>(null);
  const upload = async (file: File) => {
    setProblem(null);
    if (mustName.value && merchantOfPage.value === null) return setProblem(texts.merchantFirst);
    if (file.size > bytes_max) return setProblem(texts.tooLarge);
    setUploading(file.name);
    try {
      const params = { kind, file_name: file.name.slice(-200) };
      const { data } = await sendCsv<FileImport>("/imports", file, { params });
      navigate(to(`/imports/${data.id}`));
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setUploading(null);
    }
  };
  return (
    <Page title={title} back={{ href: to(back.path), title: back.title }}>
      <div class="stack">
        {typeof problem === "string" && <Notice kind="problem">{problem}</Notice>}
        {problem !== null && typeof problem !== "string" && <Notice problem={problem} />}
        <PageMerchant />
        {uploading === null ? (
          <FileDrop
            title={texts.drop}
            text={texts.dropHint}
            accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
            onFile={(file) => void upload(file)}
          />
        ) : (
          <Card>
            <div class="working" role="status">
              <strong>{texts.uploading(uploading)}</strong>
              <progress aria-label={texts.uploading(uploading)} />
            </div>
          </Card>
        )}
        <Card>
          <p>{text}</p>
          <p class="muted">{texts.foreign}</p>
          <Button icon="download" title={texts.template} onClick={() => void save().catch(showRefused)} />
        </Card>
        <Card title={texts.recent} flush>
          <List<FileImport>
            name={texts.recent}
            path="/imports"
            params={{ kind }}
            limit={10}
            columns={columns}
            href={({ id }) => to(`/imports/${id}`)}
            rowName={({ file_name }) => file_name ?? texts.noName}
            empty={{ icon: "upload", title: texts.recentEmpty, text: texts.recentText }}
          />
        </Card>
      </div>
    </Page>
  );
}

export const OrderImportScreen = () => <ImportStart kind="orders" />;
export const CustomerImportScreen = () => <ImportStart kind="customers" />;
export const ProductImportScreen = () => <ImportStart kind="products" />;
export const StockImportScreen = () => <ImportStart kind="stock" />;
