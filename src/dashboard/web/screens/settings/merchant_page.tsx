import { isUnnamed } from "../../../../merchants/merchant.transitions.ts";
import { post } from "../../api/client.ts";
import { type MerchantRecord, several } from "../../api/merchants.ts";
import { problemOf } from "../../api/problem.ts";
import { to } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge, MerchantDot } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { Dialog, openDialog } from "../../components/dialog.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { DescriptionList, type DescriptionRow, Time } from "../../components/values.tsx";
import { viewAs } from "../../shell/banners.tsx";
import { words } from "../../text/common.ts";
import { merchantTexts as texts } from "../../text/merchants.ts";
import { Envelope } from "../orders/order_cards.tsx";
import { BrandingCard } from "./merchant_branding.tsx";

/** One merchant: its names, contact and shipping settings. */
export const MerchantScreen = recordScreen("/merchants/:id", MerchantPage);

function MerchantPage({ record: merchant, etag, back }: RecordProps<MerchantRecord>) {
  const { status, code } = merchant;
  return (
    <Page
      title={merchant.name}
      back={back}
      badge={<Badge of="merchant" state={status} />}
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
          <BrandingCard merchant={merchant} />
          <Card title={words.details}>
            <DescriptionList
              facts={[
                [texts.legalName, merchant.legal_name],
                [texts.currency, merchant.currency],
                [texts.timezone, merchant.timezone.replaceAll("_", " ")],
                ...metadata_rows,
              ]}
            />
          </Card>
          <Card title={words.shipping}>
            <DescriptionList
              facts={[
                [texts.shipFrom, merchant.ship_from_name ?? (isUnnamed(code, name) ? words.warehouse : name)],
                [texts.mayBuyLabels, merchant.may_buy_labels ? words.yes : words.no],
                [texts.sharedWaves, merchant.shared_waves ? words.yes : words.no],
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
                [words.created, <Time key="created" at={merchant.created_at} />],
                [words.updated, <Time key="updated" at={merchant.updated_at} />],
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
          [words.name, contact?.name],
          [words.email, contact?.email && <a href={`mailto:${encodeURIComponent(contact.email)}`}>{contact.email}</a>],
          [texts.contactPhone, contact?.phone],
        ]}
      />
    </Card>
  );
}

interface MerchantRemainder {
  readonly message: string;
  readonly mode: string;
  readonly open_orders: number;
  readonly units: number;
}

function Acts({ merchant, etag }: { readonly merchant: MerchantRecord; readonly etag: string | null }) {
  const { id, code, name, allowed_actions: allowed } = merchant;
  const manage = (action: (typeof allowed)[number]) =>
    ({ permission: "merchants.manage", when: allowed.includes(action), match: etag }) as const;
  const actions: readonly Action[] = [
    {
      title: words.edit,
      icon: "edit",
      button: true,
      permission: "merchants.manage",
      href: to(`/settings/merchants/${id}/change`),
    },
    { title: texts.look, icon: "filter", when: several.value, href: to("/orders", { merchant: code }) },
    { title: texts.view, icon: "eye", when: merchant.status !== "closed", run: () => void viewAs(id) },
    {
      title: texts.suspend,
      icon: "pause",
      ...manage("suspend"),
      done: texts.suspended(name),
      ask: { title: texts.suspendTitle(name), text: texts.suspendText },
      call: { method: "POST", path: `/merchants/${id}/suspend` },
    },
    {
      title: texts.reactivate,
      icon: "play",
      ...manage("reactivate"),
      done: texts.reactivated(name),
      call: { method: "POST", path: `/merchants/${id}/reactivate` },
    },
    {
      title: texts.close,
      icon: "close",
      danger: true,
      ...manage("close"),
      ask: { title: texts.closeTitle(name), text: texts.closeText, stay: words.cancel },
      run: () => close(merchant, etag),
    },
  ];
  return <Actions of={actions} />;
}

/** Closes a merchant, or shows what it still has. */
async function close(merchant: MerchantRecord, etag: string | null): Promise<void> {
  try {
    await post<MerchantRecord>(`/merchants/${merchant.id}/close`, {}, { match: etag });
    showSuccess(texts.closed(merchant.name));
  } catch (error) {
    const { code: why, facts, message } = problemOf(error);
    if (why !== "merchant_not_empty") throw error;
    const left = { ...(facts as unknown as Omit<MerchantRemainder, "message">), message };
    openDialog((onClose) => <RemainderDialog merchant={merchant} left={left} onClose={onClose} />);
  }
}

interface RemainderDialogProps {
  readonly merchant: MerchantRecord;
  readonly left: MerchantRemainder;
  readonly onClose: () => void;
}

/** The open orders and stock that keep a merchant from being closed, with links. */
function RemainderDialog({ merchant: { code, name }, left, onClose }: RemainderDialogProps) {
  const mode = left.mode === "test" ? "test" : null;
  const orders = to("/orders", { merchant: code, status: "pending,processing,fulfilled,on_hold", mode });
  return (
    <Dialog title={texts.leftTitle(name)} onClose={onClose}>
      <p class="dialog-text">{left.message}</p>
      <footer class="dialog-acts">
        {left.open_orders > 0 && <LinkButton icon="cart" title={texts.leftOrders(left.open_orders)} href={orders} />}
        {left.units > 0 && (
          <LinkButton icon="boxes" title={texts.leftUnits(left.units)} href={to("/stock", { merchant: code, mode })} />
        )}
      </footer>
    </Dialog>
  );
}
