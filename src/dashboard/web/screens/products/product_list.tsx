import { productFields, productLayout } from "../../../../products/product.resource.ts";
import { saveFile } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import type { ProductRecord } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { LinkButton } from "../../components/button.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { ListPage } from "../../components/list_page.tsx";
import { ActionMenu, type MenuItem } from "../../components/menu.tsx";
import { EmptyState } from "../../components/notice.tsx";
import { columnsOf } from "../../components/resource_views.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { showRefused } from "../../components/toasts.tsx";
import { Time } from "../../components/values.tsx";
import { titles } from "../../text/navigation.ts";
import { productTexts as texts } from "../../text/products.ts";

const columns: readonly TableColumn<ProductRecord>[] = [
  ...columnsOf<ProductRecord>(productFields, productLayout),
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
          title: productFields.status.label,
          options: optionsOf(productFields.status.words),
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
