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
      refuses: ["duplicate_sku", "resource_missing"],
      body: CreateProduct,
      view: ProductView,
      status: 201,
      act: async (tx, { body }) => productView(await createProduct(tx, body)),
    }),
    list("/products", "catalog.read", {
      id: "listProducts",
      summary: "List products",
      of: productList,
      view: ProductView,
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
