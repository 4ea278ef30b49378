import { Elysia } from "elysia";
import { momentOf } from "../core/clock.ts";
import { bodyOf, queryOf } from "../core/schema.ts";
import { conventions } from "../http/conventions.ts";
import { EnvelopedView, ListView } from "../http/envelope.ts";
import { answerList } from "../http/pagination.ts";
import { requireMatch } from "../http/preconditions.ts";
import { answerRead, answerWrite } from "../http/response.ts";
import { documented } from "../http/route.ts";
import { CreateProduct, ListProducts, ProductView, UpdateProduct } from "./product.schema.ts";
import { productView } from "./product.ts";
import { countProducts, getProduct, listProducts, lockProduct } from "./products.sql.ts";
import { createProduct, type OnProductChange, updateProduct } from "./products.ts";

/** The routes of products. */
export const productRoutes = (onChange: OnProductChange) =>
  new Elysia({ prefix: "/products" })
    .use(conventions)
    .post("", ({ call, body }) => answerWrite(call, 201, async (tx) => productView(await createProduct(tx, body))), {
      body: bodyOf(CreateProduct),
      detail: documented({
        id: "createProduct",
        needs: "catalog.write",
        chapter: "Products",
        summary: "Create a product",
        refuses: ["duplicate_sku", "resource_missing"],
        answers: { 201: EnvelopedView(ProductView) },
      }),
    })
    .get("", ({ call, query }) => list(call, query), {
      query: queryOf(ListProducts),
      detail: documented({
        id: "listProducts",
        needs: "catalog.read",
        chapter: "Products",
        summary: "List products",
        answers: { 200: ListView(ProductView) },
      }),
    })
    .get("/:id", ({ call, params }) => answerRead(call, async (db) => productView(await getProduct(db, params.id))), {
      detail: documented({
        id: "getProduct",
        needs: "catalog.read",
        chapter: "Products",
        summary: "Get a product",
        answers: { 200: EnvelopedView(ProductView) },
      }),
    })
    .patch(
      "/:id",
      ({ call, params, body }) =>
        answerWrite(call, 200, async (tx) => {
          await requireMatch(call, () => lockProduct(tx, params.id));
          return productView(await updateProduct(tx, params.id, body, onChange));
        }),
      {
        body: bodyOf(UpdateProduct),
        detail: documented({
          id: "updateProduct",
          needs: "catalog.write",
          chapter: "Products",
          matches: true,
          summary: "Update a product",
          refuses: ["immutable_field"],
          answers: { 200: EnvelopedView(ProductView) },
        }),
      },
    );

function list(call: Parameters<typeof answerList>[0], query: ListProducts): Promise<Response> {
  const { updated_after, sort, ...rest } = query;
  const filter = { ...rest, updated_after: momentOf(updated_after) };
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listProducts(db, filter, window, sort === "created_at"),
      count: (db) => countProducts(db, filter),
      position: (product) => [product.created_at, product.id],
    },
    (products) => products.map(productView),
  );
}
