import { patch } from "../../api/client.ts";
import { ofMerchant } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { StockOfSku } from "../../api/stock_types.ts";
import type { Product } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Badge } from "../../kit/badge.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { confirm } from "../../kit/confirm.tsx";
import { ActionMenu } from "../../kit/menu.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Card, Columns, Page } from "../../kit/page.tsx";
import type { ScreenProps } from "../../kit/screen.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { type Column, DataTable } from "../../kit/table.tsx";
import { DescriptionList, type Fact, Figure, Figures, Time } from "../../kit/values.tsx";
import { refused, said } from "../../shell/toasts.tsx";
import { words } from "../../texts/common.ts";
import { count, money, weight } from "../../texts/format.ts";
import { titles } from "../../texts/navigation.ts";
import { productTexts as texts } from "../../texts/products.ts";
import { countryName } from "../../texts/units.ts";
import { stockHref } from "../stock_parts/shared.ts";

/** One product: its data and its stock. */
export function ProductScreen({ params }: ScreenProps) {
  const { data: product, etag, problem, loading, reload } = useQuery<Product>(`/products/${params["id"]}`);
  const back = { href: to("/products"), title: titles.products };
  if (loading) return <Skeleton />;
  if (!product) {
    return (
      <Page title={titles.product} back={back}>
        {problem && <Notice problem={problem} onRetry={reload} />}
      </Page>
    );
  }
  return (
    <Page
      title={product.name}
      back={back}
      beside={<Badge state={product.status} />}
      owned={product}
      below={<code>{product.sku}</code>}
      acts={may("catalog.write") && <Acts product={product} etag={etag} />}
    >
      <Columns
        main={
          <>
            {may("stock.read") && <Stock product={product} />}
            {product.type === "bundle" && <Parts product={product} />}
            <Card title={texts.details}>
              <DescriptionList facts={detailsOf(product)} />
            </Card>
          </>
        }
        side={
          <>
            <Card title={texts.storing}>
              <DescriptionList
                facts={[
                  [texts.zone, texts.zones[product.temperature_zone]],
                  [texts.lotTracking, product.lot_tracking ? words.yes : words.no],
                  [texts.expirationTracking, product.expiration_tracking ? words.yes : words.no],
                  product.expiration_tracking
                    ? [texts.shelfLife, `${count(product.min_shelf_life_days)} ${texts.days}`]
                    : null,
                  [texts.reorderPoint, count(product.reorder_point)],
                ]}
              />
            </Card>
            <Card>
              <DescriptionList
                facts={[
                  [texts.created, <Time at={product.created_at} />],
                  [texts.updated, <Time at={product.updated_at} />],
                ]}
              />
            </Card>
          </>
        }
      />
    </Page>
  );
}

function Acts({ product, etag }: { readonly product: Product; readonly etag: string | null }) {
  const { id, sku, status } = product;
  const setStatus = async (next: Product["status"]) => {
    await patch<Product>(`/products/${id}`, { status: next }, { match: etag });
    said(texts.saved(sku));
  };
  const deactivate = () =>
    confirm({
      title: texts.deactivateTitle(sku),
      text: texts.deactivateText,
      act: texts.deactivate,
      danger: true,
      run: () => setStatus("inactive"),
    });
  return (
    <>
      <ActionMenu
        items={[
          status === "active"
            ? { title: texts.deactivate, icon: "pause", danger: true, run: deactivate }
            : { title: texts.activate, icon: "play", run: () => void setStatus("active").catch(refused) },
        ]}
      />
      <LinkButton icon="edit" title={texts.change} href={to(`/products/${id}/change`)} />
    </>
  );
}

const detailsOf = (product: Product): readonly Fact[] => {
  const { dimensions, customs, barcodes } = product;
  const sides = dimensions && `${dimensions.length} × ${dimensions.width} × ${dimensions.height} ${dimensions.unit}`;
  return [
    [texts.description, product.description],
    [texts.type, texts.types[product.type]],
    [texts.price, money(product.price, product.currency)],
    [texts.weight, weight(product.weight, product.weight_unit)],
    [texts.dimensions, sides],
    [texts.barcodes, barcodes.length > 0 && <code>{barcodes.map(({ value }) => value).join("\n")}</code>],
    customs?.hs_code ? [texts.hsCode, customs.hs_code] : null,
    customs?.country_of_origin ? [texts.origin, countryName(customs.country_of_origin)] : null,
  ];
};

/** The stock of a product, as numbers with links. */
function Stock({ product }: { readonly product: Product }) {
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
        <Figure name={texts.onHand} value={count(stock.on_hand)} href={href} />
        <Figure name={texts.reserved} value={count(stock.reserved)} href={href} />
        <Figure name={texts.incoming} value={count(stock.incoming)} href={href} />
        <Figure name={texts.backordered} value={count(stock.backordered)} href={href} />
      </Figures>
    </section>
  );
}

type Part = Product["components"][number];

const partColumns: readonly Column<Part>[] = [
  { id: "sku", title: texts.sku, cell: ({ sku }) => <code>{sku}</code>, wide: true },
  { id: "quantity", title: texts.quantity, align: "right", cell: ({ quantity }) => count(quantity) },
];

/** The parts of a set. */
function Parts({ product }: { readonly product: Product }) {
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
