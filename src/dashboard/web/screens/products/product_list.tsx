import { productFields, productLayout } from "../../../../products/product.resource.ts";
import { saveFile } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import type { ProductRecord } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { optionsOf } from "../../components/form_values.ts";
import { choice, ListPage } from "../../components/list_page.tsx";
import { ActionMenu, type MenuItem } from "../../components/menu.tsx";
import { columnsOf } from "../../components/resource_views.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { showRefused } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { titles } from "../../text/navigation.ts";
import { productTexts as texts } from "../../text/products.ts";

const columns: readonly TableColumn<ProductRecord>[] = [
  ...columnsOf<ProductRecord>(productFields, productLayout),
  { id: "updated", title: words.updated, time: "updated_at", extra: true },
  { id: "created", title: words.created, time: "created_at", sort: "created_at" },
];

export function ProductsScreen() {
  const writes = may("catalog.write");
  const save = () => void saveFile("/products/export.csv", "products.csv").catch(showRefused);
  const sheets: readonly MenuItem[] = [
    { title: texts.export, icon: "download", run: save },
    { when: writes, title: texts.import, icon: "upload", run: () => navigate(to("/products/import")) },
  ];
  return (
    <ListPage<ProductRecord>
      title={titles.products}
      path="/products"
      search={{ param: "q", hint: texts.search }}
      filters={[choice("status", productFields.status.label, optionsOf(productFields.status.words))]}
      sort="-created_at"
      columns={columns}
      href={({ id }) => to(`/products/${id}`)}
      acts={<ActionMenu items={sheets} />}
      create={{ title: texts.add, when: writes, href: to("/products/new") }}
      empty={{ icon: "tag", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}
