import { useState } from "preact/hooks";
import { isUnnamed } from "../../../../merchants/merchant.transitions.ts";
import { post } from "../../api/client.ts";
import { type MerchantRecord, several } from "../../api/merchants.ts";
import { problemOf } from "../../api/problem.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import { navigate, to } from "../../browser/router.ts";
import { MerchantDot } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { confirm, Dialog } from "../../components/dialog.tsx";
import { ActionMenu, type MenuItem } from "../../components/menu.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { DescriptionList, type DescriptionRow, Time } from "../../components/values.tsx";
import { viewAs } from "../../shell/banners.tsx";
import { words } from "../../text/common.ts";
import { merchantTexts as texts } from "../../text/merchants.ts";
import { Envelope } from "../orders/order_cards.tsx";
import { MerchantBadge } from "./merchant_list.tsx";

/** One merchant: its names, contact and shipping settings. */
export function MerchantScreen({ params }: ScreenProps) {
  const { data: merchant, etag, problem, loading, reload } = useQuery<MerchantRecord>(`/merchants/${params["id"]}`);
  const back = { href: to("/settings/merchants"), title: texts.title };
  if (loading) return <Skeleton />;
  if (!merchant) {
    return (
      <Page title={texts.one} back={back}>
        {problem && <Notice problem={problem} onRetry={reload} />}
      </Page>
    );
  }
  const { status, code } = merchant;
  return (
    <Page
      title={merchant.name}
      back={back}
      badge={<MerchantBadge status={status} />}
      below={
        <span class="merchant-mark">
          <MerchantDot merchant={merchant} />
          {code}
        </span>
      }
      acts={<Acts merchant={merchant} etag={etag} />}
    >
      {status === "suspended" && <Notice kind="warning">{texts.suspendedNotice}</Notice>}
      {status === "closed" && <Notice kind="info">{texts.closedNotice}</Notice>}
      <Facts merchant={merchant} />
    </Page>
  );
}

const shownText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

function Facts({ merchant }: { readonly merchant: MerchantRecord }) {
  const { code, name, contact, return_address, suspended_at, closed_at, metadata } = merchant;
  const more = Object.entries(metadata as Record<string, unknown>);
  const metadata_rows: readonly DescriptionRow[] = more.map(([key, value]) => [key, shownText(value)]);
  return (
    <Columns
      main={
        <>
          <Card title={texts.details}>
            <DescriptionList
              facts={[
                [texts.legalName, merchant.legal_name],
                [texts.currency, merchant.currency],
                [texts.timezone, merchant.timezone.replaceAll("_", " ")],
                ...metadata_rows,
              ]}
            />
          </Card>
          <Card title={texts.shipping}>
            <DescriptionList
              facts={[
                [texts.shipFrom, merchant.ship_from_name ?? (isUnnamed(code, name) ? texts.shipFromWarehouse : name)],
                [texts.mayBuyLabels, merchant.may_buy_labels ? words.yes : words.no],
                [
                  texts.returnAddress,
                  return_address === null ? (
                    texts.noReturnAddress
                  ) : (
                    <address>
                      <b>{return_address.name}</b>
                      <Envelope place={return_address} />
                    </address>
                  ),
                ],
              ]}
            />
          </Card>
        </>
      }
      side={
        <>
          <ContactCard contact={contact} />
          <Card>
            <DescriptionList
              facts={[
                [texts.created, <Time key="created" at={merchant.created_at} />],
                [texts.updated, <Time key="updated" at={merchant.updated_at} />],
                suspended_at === null ? null : [texts.suspendedAt, <Time key="suspended" at={suspended_at} />],
                closed_at === null ? null : [texts.closedAt, <Time key="closed" at={closed_at} />],
              ]}
            />
          </Card>
        </>
      }
    />
  );
}

function ContactCard({ contact }: Pick<MerchantRecord, "contact">) {
  return (
    <Card title={texts.contact}>
      <DescriptionList
        facts={[
          [texts.contactName, contact?.name],
          [
            texts.contactEmail,
            contact?.email && <a href={`mailto:${encodeURIComponent(contact.email)}`}>{contact.email}</a>,
          ],
          [texts.contactPhone, contact?.phone],
        ]}
      />
    </Card>
  );
}

interface MerchantRemainder {
  readonly message: string;
  readonly world: string;
  readonly open_orders: number;
  readonly units: number;
}

interface MerchantActsProps {
  readonly merchant: MerchantRecord;
  readonly etag: string | null;
}

function Acts({ merchant, etag }: MerchantActsProps) {
  const { id, code, name, allowed_actions } = merchant;
  const [left, setLeft] = useState<MerchantRemainder | null>(null);
  const act = async (action: "suspend" | "reactivate" | "close") => {
    if (action === "suspend") await post<MerchantRecord>(`/merchants/${id}/suspend`, {}, { match: etag });
    if (action === "reactivate") await post<MerchantRecord>(`/merchants/${id}/reactivate`, {}, { match: etag });
    if (action === "close") await post<MerchantRecord>(`/merchants/${id}/close`, {}, { match: etag });
    showSuccess({ suspend: texts.suspended, reactivate: texts.reactivated, close: texts.closed }[action](name));
  };
  const suspend = () =>
    confirm({
      title: texts.suspendTitle(name),
      text: texts.suspendText,
      act: texts.suspend,
      run: () => act("suspend"),
    });
  const close = () =>
    confirm({
      ...{ title: texts.closeTitle(name), text: texts.closeText, act: texts.close, stay: texts.keep, danger: true },
      run: () =>
        act("close").catch((error) => {
          const { code: why, facts, message } = problemOf(error);
          if (why !== "merchant_not_empty") throw error;
          setLeft({ ...(facts as unknown as Omit<MerchantRemainder, "message">), message });
        }),
    });
  const items: MenuItem[] = may("merchants.manage")
    ? [
        ...(allowed_actions.includes("suspend")
          ? [{ title: texts.suspend, icon: "pause" as const, run: () => void suspend() }]
          : []),
        ...(allowed_actions.includes("reactivate")
          ? [{ title: texts.reactivate, icon: "play" as const, run: () => void act("reactivate").catch(showRefused) }]
          : []),
        ...(allowed_actions.includes("close")
          ? [{ title: texts.close, icon: "close" as const, danger: true, run: () => void close() }]
          : []),
      ]
    : [];
  const look = () => navigate(to("/orders", { merchant: code }));
  const view = () => void viewAs(id);
  const looks: MenuItem[] = [
    ...(several.value ? [{ title: texts.look, icon: "filter" as const, run: look }] : []),
    ...(merchant.status === "closed" ? [] : [{ title: texts.view, icon: "eye" as const, run: view }]),
  ];
  return (
    <>
      <ActionMenu items={[...looks, ...items]} />
      {may("merchants.manage") && (
        <LinkButton icon="edit" title={texts.editAct} href={to(`/settings/merchants/${id}/change`)} />
      )}
      {left && <RemainderDialog merchant={merchant} left={left} onClose={() => setLeft(null)} />}
    </>
  );
}

interface RemainderDialogProps {
  readonly merchant: MerchantRecord;
  readonly left: MerchantRemainder;
  readonly onClose: () => void;
}

/** The open orders and stock that keep a merchant from being closed, with links. */
function RemainderDialog({ merchant: { code, name }, left, onClose }: RemainderDialogProps) {
  const world = left.world === "test" ? "test" : null;
  const orders = to("/orders", { merchant: code, statuses: "pending,processing,fulfilled,on_hold", world });
  return (
    <Dialog title={texts.leftTitle(name)} onClose={onClose}>
      <p class="dialog-text">{left.message}</p>
      <footer class="dialog-acts">
        {left.open_orders > 0 && <LinkButton icon="cart" title={texts.leftOrders(left.open_orders)} href={orders} />}
        {left.units > 0 && (
          <LinkButton icon="boxes" title={texts.leftUnits(left.units)} href={to("/stock", { merchant: code, world })} />
        )}
      </footer>
    </Dialog>
  );
}
