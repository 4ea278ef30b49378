import { patch } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { Product } from "../../api/types.ts";
import { Badge } from "../../kit/badge.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { confirm } from "../../kit/confirm.tsx";
import { count, money, weight } from "../../kit/format.ts";
import { ActionMenu } from "../../kit/menu.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Card, Columns, Page } from "../../kit/page.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { DescriptionList, Time } from "../../kit/values.tsx";
import type { ScreenProps } from "../../screen.ts";
import { to } from "../../shell/router.ts";
import { said } from "../../shell/toasts.tsx";
import { words } from "../../texts/common.ts";
import { titles } from "../../texts/navigation.ts";
import { productTexts as texts } from "../../texts/products.ts";

/** One product: what it is, how it is stored, what there is of it. */
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
      below={<code>{product.sku}</code>}
      acts={may("catalog.write") && <Acts product={product} etag={etag} />}
    >
      <Columns
        main={
          <Card title={texts.details}>
            <DescriptionList
              facts={[
                [texts.description, product.description],
                [texts.type, texts.types[product.type]],
                [texts.price, money(product.price, product.currency)],
                [texts.weight, weight(product.weight, product.weight_unit)],
                [texts.barcodes, product.barcodes.map(({ value }) => value).join(", ")],
              ]}
            />
          </Card>
        }
        side={
          <Card title={texts.storing}>
            <DescriptionList
              facts={[
                [texts.zone, texts.zones[product.temperature_zone]],
                [texts.lotTracking, product.lot_tracking ? words.yes : words.no],
                [texts.expirationTracking, product.expiration_tracking ? words.yes : words.no],
                [texts.reorderPoint, count(product.reorder_point)],
                [texts.created, <Time at={product.created_at} />],
                [texts.updated, <Time at={product.updated_at} />],
              ]}
            />
          </Card>
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
            : { title: texts.activate, icon: "play", run: () => void setStatus("active") },
        ]}
      />
      <LinkButton icon="edit" title={texts.change} href={to(`/products/${id}/change`)} />
    </>
  );
}
