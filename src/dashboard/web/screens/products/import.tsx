import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiReply, type Params, saveBlob, saveFile, sendCsv } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import type { ImportReport } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { confirm } from "../../components/dialog.tsx";
import { FieldRow } from "../../components/fields.tsx";
import { FileDrop } from "../../components/file_input.tsx";
import { PageMerchant } from "../../components/merchant_field.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { Figure, Figures } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { importTexts as texts } from "../../text/imports.ts";
import { type ColumnReading, isPlain, productColumns, readingOf, stockFields, termsOf } from "./import_columns.ts";
import { Changes, isUndeclared, Refusals } from "./import_report.tsx";

interface ReadingFieldsProps {
  readonly reading: ColumnReading;
  /** The names of the API's columns. */
  readonly fields: readonly string[];
  readonly onChange: (reading: ColumnReading) => void;
}

const none = () => undefined;

/** The fields for how a file is read: decimal separator and column mapping. */
function ReadingFields({ reading, fields, onChange }: ReadingFieldsProps) {
  const { columns, decimal } = reading;
  const choose = (name: string, value: unknown) => {
    const at = Number(name.replace("column-", ""));
    onChange({ ...reading, fields: reading.fields.map((field, index) => (index === at ? String(value) : field)) });
  };
  return (
    <div class="import-reading">
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
          set={(_, value) => onChange({ ...reading, decimal: String(value) })}
          problem={none}
        />
      </div>
      <h2>{texts.columns}</h2>
      <p class="muted">{texts.columnsHelp}</p>
      <div class="fields">
        {columns.map(({ name, example }, at) => (
          <FieldRow
            key={`${at}-${name}`}
            field={{
              kind: "select",
              name: `column-${at}`,
              label: name || texts.unnamed(at + 1),
              ...(example && { help: texts.example(example) }),
              options: fields.map((value) => ({ value, title: value })),
              empty: texts.leaveOut,
              required: true,
              width: "third",
              disabled: name === "",
            }}
            values={{ [`column-${at}`]: reading.fields[at] ?? "" }}
            set={choose}
            problem={none}
          />
        ))}
      </div>
    </div>
  );
}

interface ImportKind {
  /** Sends a file, to check it or to import it. */
  readonly send: (file: File, params: Params) => Promise<ApiReply<ImportReport>>;
  /** The names of the API's columns; `sku` is required. */
  readonly fields: readonly string[];
  /** Saves the current data as a file of this format. */
  readonly save: () => Promise<void>;
  readonly title: string;
  readonly text: string;
  readonly back: { readonly path: string; readonly title: string };
  readonly go: string;
}

const stock: ImportKind = {
  send: (file, params) => sendCsv<ImportReport>("/inventory/import", file, { params }),
  fields: stockFields,
  save: () => saveFile("/inventory/export.csv", "inventory.csv"),
  title: texts.stock,
  text: texts.stockText,
  back: { path: "/stock", title: words.stock },
  go: texts.openStock,
};

const products: ImportKind = {
  send: (file, params) => sendCsv<ImportReport>("/products/import", file, { params }),
  fields: productColumns,
  save: () => saveFile("/products/export.csv", "products.csv"),
  title: texts.products,
  text: texts.productsText,
  back: { path: "/products", title: texts.productsTitle },
  go: texts.openProducts,
};

/** Imports counted stock. */
export const StockImportScreen = () => <ImportScreen kind={stock} />;

/** Imports products. */
export const ProductImportScreen = () => <ImportScreen kind={products} />;

const bytes_max = 10 << 20;

interface ChosenFile {
  readonly file: File;
  readonly reading: ColumnReading;
}
interface TriedFile extends ChosenFile {
  readonly report: ImportReport;
  readonly took_ms: number;
}

type ImportStage =
  | { readonly at: "choose" }
  | ({ readonly at: "columns" } & ChosenFile)
  | ({ readonly at: "trying" } & ChosenFile)
  | ({ readonly at: "tried" } & TriedFile)
  | ({ readonly at: "taking" } & TriedFile)
  | { readonly at: "done"; readonly report: ImportReport; readonly changes: ImportReport["changes"] };

/** The steps of an import: map columns if their names are unknown, check, review, import. */
function useImport({ send, fields }: ImportKind) {
  const [stage, setStage] = useState<ImportStage>({ at: "choose" });
  const [problem, setProblem] = useState<ApiProblem | string | null>(null);
  const open = async (file: File) => {
    setProblem(null);
    if (file.size > bytes_max) return setProblem(texts.tooLarge);
    const reading = await readingOf(file, fields);
    if (isPlain(reading, "sku")) await tryOut({ file, reading });
    else setStage({ at: "columns", file, reading });
  };
  const tryOut = async ({ file, reading }: ChosenFile) => {
    setProblem(null);
    setStage({ at: "trying", file, reading });
    const began = performance.now();
    try {
      const { data: report } = await send(file, { ...termsOf(reading), dry_run: true });
      setStage({ at: "tried", file, reading, report, took_ms: performance.now() - began });
    } catch (error) {
      setProblem(problemOf(error));
      setStage({ at: "columns", file, reading });
    }
  };
  /** Changes how the file is read and drops the outdated report. */
  const read = (reading: ColumnReading) =>
    setStage((now) => (now.at === "columns" || now.at === "tried" ? { ...now, reading } : now));
  const take = async ({ file, reading, report, took_ms }: TriedFile) => {
    const { created, updated, failed } = report;
    const agreed = await confirm({
      title: texts.takeTitle(created + updated),
      text: texts.takeText(created, updated, failed),
      act: texts.take(created + updated),
    });
    if (!agreed) return;
    setStage({ at: "taking", file, reading, report, took_ms });
    try {
      const { data } = await send(file, { ...termsOf(reading), dry_run: false });
      showSuccess(texts.took(data.created, data.updated));
      setStage({ at: "done", report: data, changes: report.changes });
    } catch (error) {
      setProblem(problemOf(error));
      setStage({ at: "tried", file, reading, report, took_ms });
    }
  };
  const again = () => {
    setProblem(null);
    setStage({ at: "choose" });
  };
  return { stage, problem, open, read, tryOut, take, again };
}

/** The screen of an import: drop a file, check it, review it, import it. */
function ImportScreen({ kind }: { readonly kind: ImportKind }) {
  const { stage, problem, open, read, tryOut, take, again } = useImport(kind);
  const save = () => void kind.save().catch(showRefused);
  return (
    <Page
      title={kind.title}
      back={{ href: to(kind.back.path), title: kind.back.title }}
      acts={stage.at !== "choose" && <Button icon="upload" title={texts.another} onClick={again} />}
    >
      <div class="stack">
        {typeof problem === "string" && <Notice kind="problem">{problem}</Notice>}
        {problem !== null && typeof problem !== "string" && <Notice problem={problem} />}
        {stage.at === "choose" && (
          <>
            <PageMerchant />
            <FileDrop
              title={texts.drop}
              text={texts.dropHint}
              accept=".csv,text/csv,text/plain"
              onFile={(file) => void open(file).catch(showRefused)}
            />
            <Card>
              <p>{kind.text}</p>
              <p class="muted">{texts.templateHint}</p>
              <Button icon="download" title={texts.template} onClick={save} />
            </Card>
          </>
        )}
        {stage.at === "columns" && (
          <Card title={texts.reading(stage.file.name)}>
            <ReadingFields reading={stage.reading} fields={kind.fields} onChange={read} />
            <Button kind="primary" icon="check" title={texts.check} onClick={() => void tryOut(stage)} />
          </Card>
        )}
        {stage.at === "trying" && <Working title={texts.trying(stage.file.name)} expected_ms={null} />}
        {stage.at === "taking" && (
          <Working title={texts.taking(stage.report.rows)} expected_ms={stage.took_ms} note={texts.doNotClose} />
        )}
        {(stage.at === "tried" || stage.at === "done") && (
          <ImportReportCard
            stage={stage}
            kind={kind}
            onTake={() => stage.at === "tried" && void take(stage)}
            onRead={read}
            onCheck={() => stage.at === "tried" && void tryOut(stage)}
          />
        )}
      </div>
    </Page>
  );
}

// Cells that a spreadsheet would treat as formulas, with any separator.
const formula = /(^|[;\t\r\n])(?=\s*[=+\-@＝＋－＠])/g;

interface ImportReportProps {
  readonly stage: Extract<ImportStage, { at: "tried" | "done" }>;
  readonly kind: ImportKind;
  readonly onTake: () => void;
  readonly onRead: (reading: ColumnReading) => void;
  readonly onCheck: () => void;
}

function ImportReportCard({ stage, kind, onTake, onRead, onCheck }: ImportReportProps) {
  const { report } = stage;
  const { rows, created, updated, unchanged, failed, errors } = report;
  const changes = (stage.at === "done" ? stage.changes : report.changes) ?? [];
  const some = created + updated;
  const saveRefused = () => {
    const cell = (text: string) => `"${text.replaceAll(formula, "$1'").replaceAll('"', '""')}"`;
    const lines = errors.map((it) => [String(it.line), it.name ?? "", it.field ?? "", it.message].map(cell).join(","));
    saveBlob(new Blob([["line,name,column,problem", ...lines].join("\r\n")], { type: "text/csv" }), "refused.csv");
  };
  return (
    <>
      <Notice kind={stage.at === "done" ? "done" : some === 0 && failed > 0 ? "warning" : "info"}>
        <p>
          {stage.at === "done"
            ? texts.done
            : some > 0
              ? texts.tried
              : failed > 0
                ? texts.allRejected
                : texts.nothingToDo}
        </p>
      </Notice>
      <Figures>
        <Figure name={texts.rows} value={count(rows)} />
        <Figure name={texts.created} value={count(created)} />
        <Figure name={words.updated} value={count(updated)} />
        <Figure name={texts.unchanged} value={count(unchanged)} />
        <Figure name={texts.failed} value={<span class={failed > 0 ? "minus" : ""}>{count(failed)}</span>} />
      </Figures>
      <div class="row">
        {stage.at === "tried" && some > 0 && (
          <Button kind="primary" icon="check" title={texts.take(some)} onClick={onTake} />
        )}
        {stage.at === "done" && <LinkButton kind="primary" title={kind.go} href={to(kind.back.path)} />}
        {errors.length > 0 && <Button icon="download" title={texts.rejectedFile} onClick={saveRefused} />}
      </div>
      {stage.at === "tried" && (
        <Card>
          <details class="import-terms" open={errors.some(isUndeclared)}>
            <summary>{texts.reading(stage.file.name)}</summary>
            <ReadingFields reading={stage.reading} fields={kind.fields} onChange={onRead} />
            <Button icon="check" title={texts.checkAgain} onClick={onCheck} />
          </details>
        </Card>
      )}
      {errors.length > 0 && <Refusals errors={errors} failed={failed} />}
      {changes.length > 0 && <Changes changes={changes} all={some} done={stage.at === "done"} />}
    </>
  );
}

interface WorkingFileProps {
  readonly title: string;
  /** The expected duration; null if unknown. */
  readonly expected_ms: number | null;
  readonly note?: string;
}

/** The progress of an import, which takes about as long as its check did. */
function Working({ title, expected_ms, note }: WorkingFileProps) {
  const began = useRef(performance.now());
  const [passed, setPassed] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setPassed(performance.now() - began.current), 200);
    return () => clearInterval(timer);
  }, []);
  const part = expected_ms === null ? undefined : Math.min(0.97, passed / Math.max(expected_ms, 1));
  return (
    <Card>
      <div class="working" role="status">
        <strong>{title}</strong>
        <progress aria-label={title} {...(part === undefined ? {} : { value: part, max: 1 })} />
        <span class="muted">
          {passed > 800 &&
            (expected_ms === null ? texts.passed(passed / 1000) : texts.left((expected_ms - passed) / 1000))}{" "}
          {note}
        </span>
      </div>
    </Card>
  );
}
