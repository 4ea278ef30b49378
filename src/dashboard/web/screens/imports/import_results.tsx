import type { FileImportDetail, ImportedRow } from "../../api/types.ts";
import { Badge, stateOptions } from "../../components/badge.tsx";
import { choice, List } from "../../components/list_page.tsx";
import { Card } from "../../components/page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { dateOrDateTime } from "../../text/format.ts";
import { importTexts as texts } from "../../text/imports.ts";

// The part of the message that names the API parameter, for which the page has a field.
const declaration = /Declare the file's decimal separator with decimal=.*$/;
const moments = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** The text of a cell: dates formatted, all else as in the file. */
function written(value: ImportedRow["fields"][number]["from"]): string {
  if (value === null) return texts.empty;
  const text = String(value);
  return moments.test(text) ? dateOrDateTime(text) : text;
}

/** What is wrong with a row, and what to do. */
function Problems({ problems }: Pick<ImportedRow, "problems">) {
  return (
    <ul class="import-problems">
      {problems.map(({ field, value, message }) => (
        <li key={`${field} ${message}`}>
          {field !== null && <code>{field}</code>} {value !== null && <q>{value}</q>}{" "}
          {message.replace(declaration, texts.above)}
        </li>
      ))}
    </ul>
  );
}

/** What a row changes: each cell before and after. */
function Changes({ change, fields }: ImportedRow) {
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

function Details(row: ImportedRow) {
  if (row.change === "held") return <span class="muted">{texts.held}</span>;
  return row.change === "failed" ? <Problems problems={row.problems} /> : <Changes {...row} />;
}

const columns: readonly TableColumn<ImportedRow>[] = [
  { id: "line", title: texts.line, number: "line" },
  { id: "name", title: texts.record, code: "name" },
  { id: "change", title: texts.result, cell: ({ change }) => <Badge of="imported_row" state={change} /> },
  { id: "details", title: texts.details, cell: (row) => <Details {...row} />, wide: true },
];

/** The rows of an import with errors or changes. */
export function ImportResults({ record: { id } }: { readonly record: FileImportDetail }) {
  return (
    <div class="import-results">
      <Card title={texts.results} flush>
        <List<ImportedRow>
          name={texts.results}
          path={`/imports/${id}/rows`}
          filters={[choice("change", texts.result, stateOptions("imported_row"))]}
          columns={columns}
          id={({ line }) => String(line)}
          empty={{ icon: "check", title: texts.noResults }}
          of_one
        />
      </Card>
    </div>
  );
}
