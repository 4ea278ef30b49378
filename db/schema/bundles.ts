import { check, id, index, int, table, unique } from "../kit.ts";
import { products } from "./products.ts";

/** The components of bundles, with the units of each per set. */
export const product_components = table(
  "product_components",
  {
    id: id(),
    bundle_id: int()
      .notNull()
      .references(() => products.id),
    component_id: int()
      .notNull()
      .references(() => products.id),
    quantity: int().notNull(),
  },
  (t) => [
    unique("product_components_pair").on(t.bundle_id, t.component_id),
    index("product_components_component").on(t.component_id),
    check("product_components_quantity", "quantity between 1 and 1000"),
    check("product_components_pair", "bundle_id <> component_id"),
  ],
);
