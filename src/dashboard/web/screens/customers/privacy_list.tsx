import { post } from "../../api/client.ts";
import type { ErasureRecord } from "../../api/developer_types.ts";
import { chosenMerchant, several, showsSeveral } from "../../api/merchants.ts";
import { navigate, to } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge, MerchantMark } from "../../components/badge.tsx";
import { ListPage } from "../../components/list_page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { privacyTexts as texts } from "../../text/privacy.ts";
import { emailField, erasePerson, exportByEmail } from "./privacy_actions.tsx";

const recordsOf = ({ erased }: ErasureRecord) => erased.reduce((sum, one) => sum + one.count, 0);

const requestedColumn: TableColumn<ErasureRecord> = { id: "asked", title: texts.requested, time: "created_at" };
const columns: readonly TableColumn<ErasureRecord>[] = [
  { id: "status", title: words.status, cell: ({ status }) => <Badge state={status} /> },
  { id: "customers", title: texts.customers, wide: true, cell: ({ customers }) => customers.join(", ") },
  { id: "records", title: texts.records, align: "right", cell: (erasure) => count(recordsOf(erasure)) },
  { id: "ended", title: texts.ended, time: "finished_at" },
];
// Replaces the usual merchant column: an erasure without a merchant covers all merchants.
const reaches: TableColumn<ErasureRecord> = {
  id: "reaches",
  title: texts.reaches,
  cell: ({ merchant_id }) => (merchant_id === null ? texts.reachesAll : <MerchantMark of={merchant_id} />),
};

/** The scope of an export or erasure by email address. */
function reachOf(): string {
  const whose = chosenMerchant.value === null ? several.value && texts.ofAll : texts.ofOne(chosenMerchant.value.name);
  return `${texts.emailText}${whose || ""}.`;
}

/** All erasures, and exports and erasures by email address. */
export function PrivacyScreen() {
  const reach = reachOf();
  const eraseByEmail: Action = {
    title: texts.eraseByEmail,
    icon: "delete",
    button: true,
    ...erasePerson({
      title: texts.eraseEmailTitle,
      reach,
      who: [emailField],
      name: ({ email }) => String(email).trim(),
      erase: ({ email }, after_days, key) =>
        post<ErasureRecord>("/erasures", { email: String(email).trim(), after_days }, { key }),
      onBegun: ({ id }) => navigate(to(`/settings/privacy/${id}`)),
    }),
  };
  return (
    <ListPage<ErasureRecord>
      title={texts.title}
      name={texts.listTitle}
      path="/erasures"
      of_one
      columns={showsSeveral.value ? [requestedColumn, reaches, ...columns] : [requestedColumn, ...columns]}
      href={({ id }) => to(`/settings/privacy/${id}`)}
      acts={<Actions of={[eraseByEmail, exportByEmail(reach)]} />}
      above={<p class="page-intro muted">{texts.intro}</p>}
      empty={{ icon: "shield", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}
