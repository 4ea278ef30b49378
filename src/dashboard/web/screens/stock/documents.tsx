// What the pages of receipts, transfers and counts have in common.
import { may } from "../../api/session.ts";
import type { Action } from "../../components/action.tsx";
import type { FormField, FormValues } from "../../components/fields.tsx";
import {
  type EnteredLineValues,
  filledLines,
  type LineField,
  lineFields,
  sendLines,
} from "../../components/line_fields.tsx";
import { Card, Columns } from "../../components/page.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { DescriptionList, type DescriptionRow } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { Ledger } from "./ledger.tsx";
import { stockHref } from "./stock_links.ts";

/** A form field for lines with a SKU, units, a lot and more. */
export const unitLines = (name: string, label: string, more: readonly LineField[]): FormField =>
  lineFields(name, label, [
    { name: "sku", title: words.sku, kind: "product", required: true, wide: true },
    { name: "quantity", title: words.units, kind: "number", required: true },
    { name: "lot_number", title: words.lot, kind: "text", mono: true },
    ...more,
  ]);

const hasQuantity = (line: EnteredLineValues) => line["quantity"] !== undefined;

/** The units of all entered lines. */
export const unitsIn = (values: FormValues) =>
  filledLines(values["items"], hasQuantity).reduce((sum, { quantity }) => sum + (Number(quantity) || 0), 0);

/** Sends the lines that arrived: those with a quantity. */
export const sendArrived = (values: FormValues, send: (items: readonly EnteredLineValues[]) => Promise<unknown>) =>
  sendLines("items", values["items"], send, hasQuantity);

interface StockDocument {
  readonly id: string;
  readonly allowed_actions: readonly string[];
}

interface CancelTexts {
  readonly cancel: string;
  readonly cancelTitle: (id: string) => string;
  readonly cancelText: string;
  readonly cancelled: (id: string) => string;
}

/** Printing and cancelling. */
export function commonActions(
  noun: "receipts" | "transfers" | "counts",
  { id, allowed_actions }: StockDocument,
  match: string | null,
  texts: CancelTexts & { readonly print?: string },
  writes = may("stock.write"),
): readonly [print: Action, cancel: Action] {
  return [
    { title: texts.print ?? words.print, icon: "print", run: () => window.print() },
    {
      title: texts.cancel,
      icon: "delete",
      danger: true,
      match,
      when: writes && allowed_actions.includes("cancel"),
      ask: { title: texts.cancelTitle(id), text: texts.cancelText },
      call: { method: "POST", path: `/inventory/${noun}/${id}/cancel` },
      done: texts.cancelled(id),
    },
  ];
}

interface DocumentBodyProps<Line> {
  readonly title: string;
  readonly of: { readonly id: string };
  readonly lines: readonly Line[];
  readonly columns: readonly TableColumn<Line>[];
  readonly facts: readonly DescriptionRow[];
  /** Whether it may have moved units, which the ledger shows. */
  readonly moved: boolean;
}

/** The lines of a document, its details and its movements. */
export function DocumentBody<Line extends { readonly sku: string }>(props: DocumentBodyProps<Line>) {
  const { title, of, lines, columns, facts, moved } = props;
  return (
    <>
      <Columns
        main={
          <Card title={title} flush>
            <DataTable
              name={title}
              rows={lines}
              columns={columns}
              id={(line) => String(lines.indexOf(line))}
              href={({ sku }) => stockHref(sku, of)}
            />
          </Card>
        }
        side={
          <Card title={words.details}>
            <DescriptionList facts={facts} />
          </Card>
        }
      />
      {moved && (
        <Card title={words.movements}>
          <Ledger of={{ reference: of.id }} on_hand={null} />
        </Card>
      )}
    </>
  );
}
