import { columnTable, csvExportFields, writeCells } from "../core/csv_columns.ts";
import { checkOf, closed } from "../core/schema.ts";
import { type CsvFile, pagesOf } from "../http/csv_response.ts";
import { EnvelopedView } from "../http/envelope.ts";
import { DryRunImportView } from "../http/import_report.ts";
import { answerImport, eachRow, type Import, importFields } from "../http/imports.ts";
import { exportCsv, respond, routes } from "../http/routes.ts";
import type { Customer } from "./customer.ts";
import { customerColumns, customerRow, ImportCustomer } from "./customer_csv.schema.ts";
import { listCustomersAfter } from "./customers.sql.ts";
import { saveCustomerRows } from "./import_customers.ts";

const required = ["email"] as const;
const table = columnTable(customerColumns, required);

/** The import of customers from CSV: by email address, new ones are created and others updated if they differ. */
export const customerImport: Import<ImportCustomer> = {
  columns: customerColumns,
  required,
  read: checkOf(ImportCustomer),
  save: eachRow(saveCustomerRows),
};

/** The CSV of all customers with their default addresses, which can be imported again. */
export const customerExport: CsvFile<Customer> = {
  name: "customers.csv",
  columns: customerColumns.map(({ name }) => name),
  page: pagesOf(listCustomersAfter),
  cells: (customer) => writeCells(customerColumns, customerRow(customer)),
};

/** Customers as CSV files. */
export const customerCsvRoutes = routes("Customers", [
  respond("POST", "/customers/import", "customers.write", {
    id: "importCustomers",
    summary: "Import customers as CSV",
    description:
      "One row for each customer, found by its email address. A new customer is created; an existing one is updated" +
      " where it differs. The address is the customer's default one. An empty cell leaves a field unchanged, or" +
      ` empties one that may be empty.\n\n${table}`,
    sends: "csv",
    query: closed(importFields),
    answers: { 200: EnvelopedView(DryRunImportView) },
    answer: ({ call, query }) => answerImport(call, customerImport, query),
  }),
  exportCsv("/customers/export.csv", "customers.read", {
    id: "exportCustomers",
    summary: "Export customers as CSV",
    description: "All customers that are not erased, one row each, oldest first. The file can be imported again.",
    query: closed(csvExportFields),
    file: () => customerExport,
  }),
]);
