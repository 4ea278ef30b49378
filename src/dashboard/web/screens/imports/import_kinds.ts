import type { ImportKind } from "../../../../imports/file_import.transitions.ts";
import { saveFile } from "../../api/client.ts";
import { words } from "../../text/common.ts";
import { importTexts as texts } from "../../text/imports.ts";
import { titles } from "../../text/navigation.ts";

interface KindOfImport {
  readonly title: string;
  readonly text: string;
  /** The list of the records, and the text of the link to it. */
  readonly back: { readonly path: string; readonly title: string };
  readonly go: string;
  /** The screen that uploads a file. */
  readonly start: string;
  /** Saves the current data as a file of this format. */
  readonly save: () => Promise<void>;
}

/** The kinds of records that can be imported. */
export const kindsOfImports: Readonly<Record<ImportKind, KindOfImport>> = {
  orders: {
    ...texts.kinds.orders,
    back: { path: "/orders", title: titles.orders },
    start: "/orders/import",
    save: () => saveFile("/orders/export.csv", "orders.csv"),
  },
  customers: {
    ...texts.kinds.customers,
    back: { path: "/customers", title: titles.customers },
    start: "/customers/import",
    save: () => saveFile("/customers/export.csv", "customers.csv"),
  },
  products: {
    ...texts.kinds.products,
    back: { path: "/products", title: titles.products },
    start: "/products/import",
    save: () => saveFile("/products/export.csv", "products.csv"),
  },
  stock: {
    ...texts.kinds.stock,
    back: { path: "/stock", title: words.stock },
    start: "/stock/import",
    save: () => saveFile("/inventory/export.csv", "inventory.csv"),
  },
};
