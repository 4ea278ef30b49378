import { list, read, routes, write } from "../http/routes.ts";
import { CreateProduct, ProductView, UpdateProduct } from "./product.schema.ts";
import { productView } from "./product.ts";
import { getProduct, lockProduct, productList } from "./products.sql.ts";
import { createProduct, type OnProductChange, updateProduct } from "./products.ts";

/** The routes of products. */
export const productRoutes = (onChange: OnProductChange) =>
  routes("Products", [
    write("POST", "/products", "catalog.write", {
      id: "createProduct",
      summary: "Create a product",
      description:
        "Adds a SKU to a merchant's catalog. It has no stock until units are received. A bundle has none of its" +
        " own: it is made of its components when an order reserves them. No event is emitted.",
      refuses: ["duplicate_sku", "resource_missing"],
      body: CreateProduct,
      view: ProductView,
      status: 201,
      act: async (tx, { body }) => productView(await createProduct(tx, body)),
    }),
    list("/products", "catalog.read", {
      id: "listProducts",
      summary: "List products",
      description:
        "The catalog, newest first, inactive products included. Find one by SKU, barcode or part of its name.",
      of: productList,
      included: { as: "product", rows: productList.ofIds },
      view: ProductView,
      views: (products) => products.map(productView),
    }),
    read("/products/:id", "catalog.read", {
      id: "getProduct",
      summary: "Get a product",
      description: "The product with its components, barcodes and packs. `GET /inventory/:sku` shows its stock.",
      view: ProductView,
      data: async (db, { params }) => productView(await getProduct(db, params.id)),
    }),
    write("PATCH", "/products/:id", "catalog.write", {
      id: "updateProduct",
      summary: "Update a product",
      description:
        "Changes the fields sent; a list such as `barcodes` is replaced as a whole. `sku` and `type` cannot change." +
        " Orders on hold for an inactive product are released once it is `active`. Other components or shelf life" +
        " change what is available and emit `inventory.updated`. Sending the current values changes nothing.",
      refuses: ["immutable_field"],
      body: UpdateProduct,
      view: ProductView,
      matches: (tx, { params }) => lockProduct(tx, params.id),
      act: async (tx, { params, body }) => productView(await updateProduct(tx, params.id, body, onChange)),
    }),
  ]);
