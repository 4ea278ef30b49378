import { productFields } from "../../../products/product.resource.ts";
import type { ProductRecord } from "../api/types.ts";

export const productTexts = {
  search: "Search SKU or name",
  add: "New product",
  emptyTitle: "No products yet",
  emptyText: "A product is an item you store and ship, identified by its SKU. Create the first one, or import a file.",
  available: "Available",
  partsTitle: "Bundle components",
  backordered: "Backordered",
  addPack: "Add pack",
  packField: (field: string, at: number) => `${field}, pack ${at + 1}`,
  pack: ({ level, quantity }: Pick<ProductRecord["packs"][number], "level" | "quantity">) =>
    `${productFields.packs.of.level.words[level]} of ${quantity}`,
  export: "Export",
  import: "Import",
  saved: (sku: string) => `${sku} saved.`,
  created_: (sku: string) => `${sku} created.`,
  deactivate: "Deactivate",
  activate: "Activate",
  deactivateTitle: (sku: string) => `Deactivate ${sku}?`,
  deactivateText: "New orders can't contain it. Existing orders still ship, and its stock stays.",
} as const;
