import { momentOf } from "../core/clock.ts";
import { list, read, routes, write } from "../http/routes.ts";
import { CreateProduct, ListProducts, ProductView, UpdateProduct } from "./product.schema.ts";
import { productView } from "./product.ts";
import { countProducts, getProduct, listProducts, lockProduct } from "./products.sql.ts";
import { createProduct, type OnProductChange, updateProduct } from "./products.ts";

/** The routes of products. */
export const productRoutes = (onChange: OnProductChange) =>
  routes("Products", [
    write("POST", "/products", "catalog.write", {
      id: "createProduct",
      summary: "Create a product",
      refuses: ["duplicate_sku", "resource_missing"],
      body: CreateProduct,
      view: ProductView,
      status: 201,
      act: async (tx, { body }) => productView(await createProduct(tx, body)),
    }),
    list("/products", "catalog.read", {
      id: "listProducts",
      summary: "List products",
      query: ListProducts,
      view: ProductView,
      listing: ({ query: { updated_after, sort, ...rest } }) => {
        const filter = { ...rest, updated_after: momentOf(updated_after) };
        return {
          rows: (db, window) => listProducts(db, filter, window, sort === "created_at"),
          count: (db) => countProducts(db, filter),
          position: ({ created_at, id }) => [created_at, id],
        };
      },
      views: (products) => products.map(productView),
    }),
    read("/products/:id", "catalog.read", {
      id: "getProduct",
      summary: "Get a product",
      view: ProductView,
      data: async (db, { params }) => productView(await getProduct(db, params.id)),
    }),
    write("PATCH", "/products/:id", "catalog.write", {
      id: "updateProduct",
      summary: "Update a product",
      refuses: ["immutable_field"],
      body: UpdateProduct,
      view: ProductView,
      matches: (tx, { params }) => lockProduct(tx, params.id),
      act: async (tx, { params, body }) => productView(await updateProduct(tx, params.id, body, onChange)),
    }),
  ]);
