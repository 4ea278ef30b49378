import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { refresh } from "../../api/query.ts";
import type { FileImportDetail } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { FieldRow, type Option, Select } from "../../components/fields.tsx";
import { Notice } from "../../components/notice.tsx";
import { importTexts as texts } from "../../text/imports.ts";

const none = () => undefined;
const pairs = /(.*?):([^,:]*)(?:,|$)/gsy;

/** The fields of a file's columns: as they were last mapped, or else as suggested. */
function fieldsOf({ map, columns, suggested }: FileImportDetail): readonly string[] {
  if (map === null) return columns.map((_, at) => suggested[at]?.field ?? "");
  const mapped = new Map([...map.matchAll(pairs)].map(([, name = "", field = ""]) => [name.trim(), field.trim()]));
  return columns.map((name, at) => {
    const own = suggested[at];
    return mapped.get(name) ?? (own?.by === "name" ? (own.field ?? "") : "");
  });
}

interface MappingProps {
  readonly record: FileImportDetail;
  /** The text of the button that checks the rows. */
  readonly submit: string;
}

/** How the columns of a file are read. Checking its rows remembers it. */
export function ImportMapping({ record, submit }: MappingProps) {
  const { columns, fields: known } = record;
  const [fields, setFields] = useState(() => fieldsOf(record));
  const [decimal, setDecimal] = useState<string>(record.decimal ?? "");
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [busy, setBusy] = useState(false);
  const missing = known.filter(({ name, required }) => required && !fields.includes(name)).map(({ name }) => name);
  const check = async () => {
    setBusy(true);
    setProblem(null);
    const map = columns.flatMap((name, at) => (name === "" ? [] : `${name}:${fields[at] ?? ""}`)).join(",");
    try {
      await post(`/imports/${record.id}/check`, { map, decimal: decimal === "" ? null : decimal });
      refresh(new Set(["imports"]));
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  const choose = (at: number, field: string) =>
    setFields(fields.map((one, index) => (index === at ? field : one === field ? "" : one)));
  return (
    <div class="import-reading">
      <p class="muted">{texts.columnsHelp}</p>
      {problem && <Notice problem={problem} />}
      <ColumnsTable record={record} fields={fields} onChoose={choose} />
      <div class="fields">
        <FieldRow
          field={{
            kind: "select",
            name: "decimal",
            label: texts.decimal,
            help: texts.decimalHelp,
            options: texts.decimals,
            required: true,
            width: "half",
          }}
          values={{ decimal }}
          set={(_, value) => setDecimal(String(value))}
          problem={none}
        />
      </div>
      {missing.length > 0 && <p class="muted">{texts.missing(missing.join(", "))}</p>}
      <div class="row">
        <Button
          kind="primary"
          icon="check"
          title={submit}
          disabled={missing.length > 0}
          busy={busy}
          onClick={() => void check()}
        />
      </div>
    </div>
  );
}

interface ColumnsProps {
  readonly record: FileImportDetail;
  readonly fields: readonly string[];
  readonly onChoose: (at: number, field: string) => void;
}

/** The columns of a file with their first values, and what each of them contains. */
function ColumnsTable({ record, fields, onChoose }: ColumnsProps) {
  const { columns, first_rows, fields: known } = record;
  const options: readonly Option[] = known.map(({ name, required }) => ({
    value: name,
    title: required ? texts.required(name) : name,
  }));
  return (
    <div class="import-columns">
      <table class="table">
        <thead>
          <tr>
            <th>{texts.column}</th>
            <th>{texts.example}</th>
            <th>{texts.contains}</th>
          </tr>
        </thead>
        <tbody>
          {columns.map((name, at) => (
            <tr key={`${at}-${name}`} class={fields[at] === "" ? "left-out" : ""}>
              <td>
                <strong>{name || texts.unnamed(at + 1)}</strong>
              </td>
              <td class="muted">{samplesOf(first_rows, at)}</td>
              <td>
                <Select
                  name={`column-${at}`}
                  aria-label={name || texts.unnamed(at + 1)}
                  value={fields[at] ?? ""}
                  options={options}
                  empty={texts.leaveOut}
                  disabled={name === ""}
                  title={known.find((one) => one.name === fields[at])?.meaning}
                  onChoose={(field) => onChoose(at, field)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The values of a column in the first rows, in short. */
function samplesOf(rows: FileImportDetail["first_rows"], at: number): string {
  const values = rows.slice(0, 3).map((cells) => cells[at]?.trim() ?? "");
  const short = values.filter((text) => text !== "").map((text) => (text.length > 30 ? `${text.slice(0, 30)}…` : text));
  return [...new Set(short)].join(" · ");
}
