import type { ImportReport } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { Card } from "../../components/page.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { dateOrDateTime } from "../../text/format.ts";
import { importTexts as texts } from "../../text/imports.ts";

type RefusedRow = ImportReport["errors"][number];
type ImportedChange = NonNullable<ImportReport["changes"]>[number];

// The part of the message that names the API parameter, for which the page has a field.
const declaration = /Declare the file's decimal separator with decimal=.*$/;

/** Whether setting the decimal separator solves a problem. */
export const isUndeclared = ({ message }: RefusedRow) => declaration.test(message);

function Problem({ message }: { readonly message: string }) {
  return <span class="import-problem">{message.replace(declaration, texts.above)}</span>;
}

const refusalColumns: readonly TableColumn<RefusedRow>[] = [
  { id: "line", title: texts.line, align: "right", cell: ({ line }) => line },
  { id: "name", title: words.sku, code: "name" },
  { id: "field", title: texts.field, cell: ({ field }) => field && <code>{field}</code> },
  { id: "problem", title: texts.problem, cell: ({ message }) => <Problem message={message} />, wide: true },
];

/** The problems of the rejected rows, by line. */
export function Refusals({ errors, failed }: { readonly errors: readonly RefusedRow[]; readonly failed: number }) {
  return (
    <Card title={texts.rejectedTitle} flush>
      <p class="muted pad">{texts.rejectedText}</p>
      <DataTable
        name={texts.rejectedTitle}
        rows={errors}
        columns={refusalColumns}
        id={(row) => String(errors.indexOf(row))}
      />
      {new Set(errors.map(({ line }) => line)).size < failed && (
        <p class="muted pad">{texts.more(errors.length, failed)}</p>
      )}
    </Card>
  );
}

const moments = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** The text of a cell: dates formatted, all else as in the file. */
function written(value: ImportedChange["fields"][number]["from"]): string {
  if (value === null) return texts.empty;
  const text = String(value);
  return moments.test(text) ? dateOrDateTime(text) : text;
}

function Cells({ change, fields }: ImportedChange) {
  return (
    <ul class="cell-changes">
      {fields.map(({ field, from, to }) => (
        <li key={field}>
          <code>{field}</code>{" "}
          {change === "updated" && (
            <>
              <del>{written(from)}</del> <span aria-hidden="true">→</span>{" "}
            </>
          )}
          <ins>{written(to)}</ins>
        </li>
      ))}
    </ul>
  );
}

const changeColumns: readonly TableColumn<ImportedChange>[] = [
  { id: "line", title: texts.line, align: "right", cell: ({ line }) => line },
  { id: "name", title: words.sku, code: "name" },
  {
    id: "kind",
    title: texts.kind,
    cell: ({ change }) => <Badge tone={change === "created" ? "good" : "info"}>{texts.kinds[change]}</Badge>,
  },
  { id: "fields", title: texts.fields, cell: (it) => <Cells {...it} />, wide: true },
];

interface ChangesProps {
  readonly changes: readonly ImportedChange[];
  readonly all: number;
  readonly done: boolean;
}

/** The changes of each row, cell by cell. */
export function Changes({ changes, all, done }: ChangesProps) {
  const title = done ? texts.changedTitle : texts.changesTitle;
  return (
    <Card title={title} flush>
      <DataTable name={title} rows={changes} columns={changeColumns} id={({ line }) => String(line)} />
      {changes.length < all && <p class="muted pad">{texts.more(changes.length, all)}</p>}
    </Card>
  );
}
