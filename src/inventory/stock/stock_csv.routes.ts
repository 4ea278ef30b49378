import { columnTable, csvExportFields, writeCells } from "../../core/csv_columns.ts";
import { checkOf, closed } from "../../core/schema.ts";
import { answerCsv, type CsvFile, pagesOf } from "../../http/csv_response.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { DryRunImportView } from "../../http/import_report.ts";
import { answerImport, eachRow, type Import, importFields } from "../../http/imports.ts";
import { respond, routes } from "../../http/routes.ts";
import { showsBins } from "../warehouses/bin_visibility.ts";
import { saveStockRows } from "./import_stock.ts";
import { CountedStock, type OwnedStock, type StockCsvRow, stockColumns, stockCsvRow } from "./stock_csv.schema.ts";
import { listHeldAfter, listOwnedAfter } from "./stock_csv.sql.ts";

const required = ["sku", "quantity"] as const;
const table = columnTable(stockColumns, required);

/** The import of a stock CSV: the counted units become the units on hand. */
export const stockImport: Import<CountedStock> = {
  columns: stockColumns,
  required,
  read: checkOf(CountedStock),
  save: eachRow(saveStockRows),
  ties: ({ sku }) => ({ creates: [sku], needs: [sku] }),
};

/** The CSV of all stock by bin and lot, which can be imported again. */
export const stockExport: CsvFile<StockCsvRow> = {
  name: "inventory.csv",
  columns: stockColumns.map(({ name }) => name),
  page: pagesOf(listHeldAfter),
  cells: (held) => writeCells(stockColumns, stockCsvRow(held)),
};

/** Stock as its merchant sees it: by warehouse, without bins. */
export const exportWithoutBins: CsvFile<OwnedStock, number> = {
  ...stockExport,
  page: listOwnedAfter,
  cells: (owned) => writeCells(stockColumns, stockCsvRow(owned)),
};

/** Stock as CSV files. */
export const stockCsvRoutes = routes("Inventory", [
  respond("POST", "/inventory/import", "stock.write", {
    id: "importInventory",
    summary: "Import counted stock as CSV",
    description:
      "One row per bin and lot: the counted quantity becomes the quantity on hand, by an adjustment with the reason" +
      " `stock_count`. Places without a row stay unchanged. A row is refused if it removes reserved units that no" +
      ` other stock replaces. Importing the same file again changes nothing.\n\n${table}`,
    sends: "csv",
    query: closed(importFields),
    answers: { 200: EnvelopedView(DryRunImportView) },
    answer: ({ call, query }) => answerImport(call, stockImport, query),
  }),
  respond("GET", "/inventory/export.csv", "stock.read", {
    id: "exportInventory",
    summary: "Export stock as CSV",
    description:
      "One row per bin and lot; picked units are in the staging bin of their order. Merchants get one row per" +
      ` warehouse and lot. The file can be imported again.\n\n${table}`,
    documents: ["text/csv"],
    query: closed(csvExportFields),
    answers: { 200: null },
    answer: ({ call, query }) =>
      showsBins(call) ? answerCsv(call, stockExport, query) : answerCsv(call, exportWithoutBins, query),
  }),
]);
