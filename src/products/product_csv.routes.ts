import { columnTable, csvExportFields, writeCells } from "../core/csv_columns.ts";
import { csvColumnsOf } from "../core/resource.ts";
import { checkOf, closed } from "../core/schema.ts";
import { type CsvFile, pagesOf } from "../http/csv_response.ts";
import { EnvelopedView } from "../http/envelope.ts";
import { DryRunImportView } from "../http/import_report.ts";
import { answerImport, eachRow, type Import, importFields } from "../http/imports.ts";
import { exportCsv, respond, routes } from "../http/routes.ts";
import { saveProductRows } from "./import_products.ts";
import { productFields } from "./product.resource.ts";
import { ImportProduct } from "./product.schema.ts";
import { type Product, productView } from "./product.ts";
import { listProductsAfter } from "./products.sql.ts";
import type { OnProductChange } from "./products.ts";

/** The columns of a file of products: every writable field. */
const productColumns = csvColumnsOf(productFields);
const required = ["sku"] as const;
const table = columnTable(productColumns, required);

/** The import of products from CSV: by SKU, new ones are created and others updated if they differ. */
export const productImport = (onChange: OnProductChange): Import<ImportProduct> => ({
  columns: productColumns,
  required,
  read: checkOf(ImportProduct),
  save: eachRow((tx, rows, taken) => saveProductRows(tx, rows, taken, onChange)),
  ties: ({ sku, components = [], barcodes = [], packs = [] }) => {
    const values = [...barcodes.map(({ value }) => value), ...packs.flatMap(({ barcode }) => barcode ?? [])];
    const codes = values.map((value) => `barcode ${value}`);
    return { creates: [sku, ...codes], needs: [...components.map((part) => part.sku), ...codes] };
  },
});

/** The CSV export of all products, which can be imported again. */
export const productExport: CsvFile<Product> = {
  name: "products.csv",
  columns: productColumns.map(({ name }) => name),
  page: pagesOf(listProductsAfter),
  cells: (product) => writeCells(productColumns, productView(product)),
};

/** The routes of CSV import and export. */
export const productCsvRoutes = (onChange: OnProductChange) =>
  routes("Products", [
    respond("POST", "/products/import", "catalog.write", {
      id: "importProducts",
      summary: "Import products as CSV",
      description:
        "One row for each product, found by its SKU. A new product is created; an existing one is updated where it" +
        ` differs. An empty cell leaves a field unchanged, or empties one that may be empty.\n\n${table}`,
      sends: "csv",
      query: closed(importFields),
      answers: { 200: EnvelopedView(DryRunImportView) },
      answer: ({ call, query }) => answerImport(call, productImport(onChange), query),
    }),
    exportCsv("/products/export.csv", "catalog.read", {
      id: "exportProducts",
      summary: "Export products as CSV",
      description: `All products, one row each, bundles after the others. The file can be imported again.\n\n${table}`,
      query: closed(csvExportFields),
      file: () => productExport,
    }),
  ]);
