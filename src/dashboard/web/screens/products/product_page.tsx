import { productFields, productLayout } from "../../../../products/product.resource.ts";
import { ofMerchant } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { ProductRecord, StockOfSku } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import { factsOf } from "../../components/resource_views.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { DescriptionList, Figure, Figures, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { productTexts as texts } from "../../text/products.ts";
import { stockHref } from "../stock/stock_links.ts";

const [details, storage] = productLayout.facts;

/** One product: its data and its stock. */
export const ProductScreen = recordScreen("/products/:id", ProductPage);

function ProductPage({ record: product, etag, back }: RecordProps<ProductRecord>) {
  return (
    <Page
      title={product.name}
      back={back}
      badge={<Badge state={product.status} />}
      owned={product}
      below={<code>{product.sku}</code>}
      acts={<Actions of={productActions(product, etag)} />}
    >
      <Columns
        main={
          <>
            {may("stock.read") && <Stock product={product} />}
            {product.type === "bundle" && <Parts product={product} />}
            <Card title={details.title}>
              <DescriptionList facts={factsOf(productFields, details.fields, product, ownFacts)} />
            </Card>
          </>
        }
        side={
          <>
            <Card title={storage.title}>
              <DescriptionList facts={factsOf(productFields, storage.fields, product)} />
            </Card>
            <Card>
              <DescriptionList
                facts={[
                  [words.created, <Time at={product.created_at} />],
                  [words.updated, <Time at={product.updated_at} />],
                ]}
              />
            </Card>
          </>
        }
      />
    </Page>
  );
}

function productActions({ id, sku, status }: ProductRecord, etag: string | null): readonly Action[] {
  const change = (next: ProductRecord["status"]): Pick<Action, "permission" | "when" | "call" | "match" | "done"> => ({
    permission: "catalog.write",
    when: status !== next,
    match: etag,
    done: texts.saved(sku),
    call: { method: "PATCH", path: `/products/${id}`, body: { status: next } },
  });
  return [
    { title: words.edit, icon: "edit", button: true, permission: "catalog.write", href: to(`/products/${id}/change`) },
    {
      title: texts.deactivate,
      icon: "pause",
      danger: true,
      ...change("inactive"),
      ask: { title: texts.deactivateTitle(sku), text: texts.deactivateText },
    },
    { title: texts.activate, icon: "play", ...change("active") },
  ];
}

const ownFacts = {
  dimensions: ({ dimensions: it }: ProductRecord) => it && `${it.length} × ${it.width} × ${it.height} ${it.unit}`,
  barcodes: ({ barcodes: all }: ProductRecord) =>
    all.length > 0 && <code>{all.map(({ value }) => value).join("\n")}</code>,
  packs: ({ packs: all }: ProductRecord) =>
    all.length > 0 &&
    all.map((pack) => (
      <div key={texts.pack(pack)}>
        {texts.pack(pack)} {pack.barcode && <code>{pack.barcode}</code>}
      </div>
    )),
};

/** The stock of a product, as numbers with links. */
function Stock({ product }: { readonly product: ProductRecord }) {
  const path = `/inventory/${encodeURIComponent(product.sku)}`;
  const params = { merchant: ofMerchant(product.merchant_id).of };
  const { data: stock, problem, loading, reload } = useQuery<StockOfSku>(path, params);
  const href = stockHref(product.sku, product);
  if (loading) return <Skeleton lines={2} />;
  if (!stock) return problem ? <Notice problem={problem} onRetry={reload} /> : null;
  return (
    <section>
      <Figures>
        <Figure name={texts.available} value={count(stock.available)} href={href} />
        <Figure name={words.onHand} value={count(stock.on_hand)} href={href} />
        <Figure name={words.reserved} value={count(stock.reserved)} href={href} />
        <Figure name={words.incoming} value={count(stock.incoming)} href={href} />
        <Figure name={texts.backordered} value={count(stock.backordered)} href={href} />
      </Figures>
    </section>
  );
}

type ProductComponent = ProductRecord["components"][number];

const partColumns: readonly TableColumn<ProductComponent>[] = [
  { id: "sku", title: productFields.sku.label, code: "sku", wide: true },
  { id: "quantity", title: words.quantity, number: "quantity" },
];

/** The components of a bundle. */
function Parts({ product }: { readonly product: ProductRecord }) {
  return (
    <Card title={texts.partsTitle} flush>
      <DataTable
        name={texts.partsTitle}
        rows={product.components}
        columns={partColumns}
        id={({ sku }) => sku}
        href={({ sku }) => (may("stock.read") ? stockHref(sku, product) : null)}
      />
    </Card>
  );
}
