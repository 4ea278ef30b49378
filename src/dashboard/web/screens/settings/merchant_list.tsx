import type { MerchantRecord } from "../../api/merchants.ts";
import { to } from "../../browser/router.ts";
import { Badge, MerchantDot, stateOptions } from "../../components/badge.tsx";
import { choice, ListPage } from "../../components/list_page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { merchantTexts as texts } from "../../text/merchants.ts";

const columns: readonly TableColumn<MerchantRecord>[] = [
  {
    id: "code",
    title: words.code,
    cell: (merchant) => (
      <span class="merchant-mark">
        <MerchantDot merchant={merchant} />
        {merchant.code}
      </span>
    ),
  },
  { id: "name", title: words.name, text: "name", wide: true },
  { id: "status", title: words.status, cell: ({ status }) => <Badge of="merchant" state={status} /> },
  { id: "legal", title: texts.legalName, text: "legal_name", extra: true },
  { id: "contact", title: texts.contact, cell: ({ contact }) => contact?.email ?? contact?.name },
  { id: "currency", title: texts.currency, text: "currency" },
  { id: "timezone", title: texts.timezone, extra: true, cell: ({ timezone }) => timezone.replaceAll("_", " ") },
  {
    id: "labels",
    title: texts.mayBuyLabels,
    extra: true,
    cell: ({ may_buy_labels }) => (may_buy_labels ? words.yes : words.no),
  },
  { id: "created", title: words.created, time: "created_at" },
];

export function MerchantsScreen() {
  return (
    <ListPage<MerchantRecord>
      title={texts.title}
      path="/merchants"
      search={{ param: "q", hint: texts.search }}
      filters={[choice("status", words.status, stateOptions("merchant"))]}
      columns={columns}
      href={({ id }) => to(`/settings/merchants/${id}`)}
      create={{ title: texts.add, permission: "merchants.manage", href: to("/settings/merchants/new") }}
      empty={{ icon: "users", title: texts.title }}
    />
  );
}
