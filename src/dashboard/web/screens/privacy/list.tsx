import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import type { Erasure } from "../../api/developer_types.ts";
import { chosenMerchant, several, showsSeveral } from "../../api/merchants.ts";
import { navigate, to } from "../../browser/router.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty_state.tsx";
import { ListPage } from "../../kit/list_page.tsx";
import { MerchantMark } from "../../kit/merchant_mark.tsx";
import type { Column } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { count } from "../../texts/format.ts";
import { privacyTexts as texts } from "../../texts/privacy.ts";
import { EraseDialog, emailField, TellDialog } from "./acts.tsx";

const recordsOf = ({ erased }: Erasure) => erased.reduce((sum, one) => sum + one.count, 0);

const asked: Column<Erasure> = {
  ...{ id: "asked", title: texts.asked },
  cell: ({ created_at }) => <Time at={created_at} />,
};
const columns: readonly Column<Erasure>[] = [
  { id: "status", title: texts.status, cell: ({ status }) => <Badge state={status} /> },
  { id: "customers", title: texts.customers, wide: true, cell: ({ customers }) => customers.join(", ") },
  { id: "records", title: texts.records, align: "right", cell: (erasure) => count(recordsOf(erasure)) },
  { id: "ended", title: texts.ended, cell: ({ finished_at }) => <Time at={finished_at} /> },
];
// Not as a list tells it by itself: what belongs to no merchant reaches the records of all.
const reaches: Column<Erasure> = {
  ...{ id: "reaches", title: texts.reaches },
  cell: ({ merchant_id }) => (merchant_id === null ? texts.reachesAll : <MerchantMark of={merchant_id} />),
};

/** What an act by an e-mail address is about. */
function reachOf(): string {
  const whose = chosenMerchant.value === null ? several.value && texts.ofAll : texts.ofOne(chosenMerchant.value.name);
  return `${texts.emailText}${whose || ""}.`;
}

/** All erasures, and what is done by an e-mail address, with or without a customer. */
export function PrivacyScreen() {
  const [open, setOpen] = useState<"tell" | "erase" | null>(null);
  const close = () => setOpen(null);
  const reach = reachOf();
  return (
    <>
      <ListPage<Erasure>
        title={texts.title}
        name={texts.listTitle}
        path="/erasures"
        of_one
        columns={showsSeveral.value ? [asked, reaches, ...columns] : [asked, ...columns]}
        id={({ id }) => id}
        href={({ id }) => to(`/settings/privacy/${id}`)}
        acts={
          <>
            <Button icon="download" title={texts.tellByEmail} onClick={() => setOpen("tell")} />
            <Button icon="delete" title={texts.eraseByEmail} onClick={() => setOpen("erase")} />
          </>
        }
        above={<p class="page-intro muted">{texts.intro}</p>}
        empty={<EmptyState icon="shield" title={texts.emptyTitle} text={texts.emptyText} />}
      />
      {open === "tell" && <TellDialog reach={reach} onClose={close} />}
      {open === "erase" && (
        <EraseDialog
          title={texts.eraseEmailTitle}
          reach={reach}
          who={[emailField]}
          first={{ email: "" }}
          name={({ email }) => String(email).trim()}
          erase={({ email }, after_days, key) =>
            post<Erasure>("/erasures", { email: String(email).trim(), after_days }, { key })
          }
          onBegun={({ id }) => navigate(to(`/settings/privacy/${id}`))}
          onClose={close}
        />
      )}
    </>
  );
}
