import { saveFile } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import type { Customer } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { ListPage } from "../../components/list_page.tsx";
import { ActionMenu, type MenuItem } from "../../components/menu.tsx";
import { customerName } from "../../components/pickers.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { showRefused } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { customerTexts as texts } from "../../text/customers.ts";
import { titles } from "../../text/navigation.ts";

const placeOf = ({ shipping_addresses: all }: Customer) => {
  const shown = all.find(({ is_default }) => is_default) ?? all[0];
  return shown && [shown.city, shown.state, shown.country].filter(Boolean).join(", ");
};

const columns: readonly TableColumn<Customer>[] = [
  { id: "name", title: words.name, cell: customerName },
  { id: "email", title: words.email, cell: ({ email, erased_at }) => erased_at === null && email, wide: true },
  { id: "company", title: texts.company, text: "company" },
  { id: "phone", title: texts.phone, text: "phone", extra: true },
  { id: "place", title: texts.place, cell: placeOf },
  { id: "created", title: texts.created, time: "created_at" },
];

export function CustomersScreen() {
  const save = () => void saveFile("/customers/export.csv", "customers.csv").catch(showRefused);
  const sheets: readonly MenuItem[] = [
    { title: texts.export, icon: "download", run: save },
    {
      when: may("customers.write"),
      title: titles.importCustomers,
      icon: "upload",
      run: () => navigate(to("/customers/import")),
    },
  ];
  return (
    <ListPage<Customer>
      title={titles.customers}
      path="/customers"
      search={{ param: "q", hint: texts.search }}
      filters={[{ kind: "date", param: "created_after", title: words.since }]}
      columns={columns}
      href={({ id }) => to(`/customers/${id}`)}
      acts={<ActionMenu items={sheets} />}
      create={{ title: texts.add, permission: "customers.write", href: to("/customers/new") }}
      empty={{ icon: "customers", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}
