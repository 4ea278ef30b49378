import { saveFile } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import type { ProductRecord } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { Badge } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { ListPage } from "../../components/list_page.tsx";
import { ActionMenu, type MenuItem } from "../../components/menu.tsx";
import { EmptyState } from "../../components/notice.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { showRefused } from "../../components/toasts.tsx";
import { Time } from "../../components/values.tsx";
import { count, money, weight } from "../../text/format.ts";
import { titles } from "../../text/navigation.ts";
import { productTexts as texts } from "../../text/products.ts";

const columns: readonly TableColumn<ProductRecord>[] = [
  { id: "sku", title: texts.sku, cell: ({ sku }) => <code>{sku}</code> },
  { id: "name", title: texts.name, cell: ({ name }) => name, wide: true },
  { id: "status", title: texts.status, cell: ({ status }) => <Badge state={status} /> },
  { id: "type", title: texts.type, cell: ({ type }) => texts.types[type] },
  { id: "zone", title: texts.zone, cell: ({ temperature_zone }) => texts.zones[temperature_zone] },
  { id: "weight", title: texts.weight, align: "right", cell: (it) => weight(it.weight, it.weight_unit) },
  { id: "price", title: texts.price, align: "right", cell: ({ price, currency }) => money(price, currency) },
  { id: "reorder", title: texts.reorderPoint, align: "right", extra: true, cell: (it) => count(it.reorder_point) },
  { id: "updated", title: texts.updated, extra: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
  { id: "created", title: texts.created, sort: "created_at", cell: ({ created_at }) => <Time at={created_at} /> },
];

export function ProductsScreen() {
  const add = may("catalog.write") && (
    <LinkButton kind="primary" icon="plus" title={texts.add} href={to("/products/new")} />
  );
  const sheets: MenuItem[] = [
    {
      title: texts.export,
      icon: "download",
      run: () => void saveFile("/products/export.csv", "products.csv").catch(showRefused),
    },
    ...(may("catalog.write")
      ? [{ title: texts.import, icon: "upload" as const, run: () => navigate(to("/products/import")) }]
      : []),
  ];
  return (
    <ListPage<ProductRecord>
      name={titles.products}
      title={titles.products}
      path="/products"
      search={{ param: "q", hint: texts.search }}
      filters={[
        {
          kind: "choice",
          param: "status",
          title: texts.status,
          options: Object.entries(texts.statuses).map(([value, title]) => ({ value, title })),
        },
      ]}
      sort="-created_at"
      columns={columns}
      id={({ id }) => id}
      href={({ id }) => to(`/products/${id}`)}
      acts={
        <>
          <ActionMenu items={sheets} />
          {add}
        </>
      }
      empty={<EmptyState icon="tag" title={texts.emptyTitle} text={texts.emptyText} act={add} />}
    />
  );
}
