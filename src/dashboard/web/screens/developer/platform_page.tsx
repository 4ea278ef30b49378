import type { PlatformConnection } from "../../api/developer_types.ts";
import { navigate, to } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { CopyField, DescriptionList, type DescriptionRow, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { titles } from "../../text/navigation.ts";
import { platformStockTexts as stockTexts } from "../../text/platform_stock.ts";
import { platformTexts as texts } from "../../text/platforms.ts";
import { connectionFields } from "./platform_fields.ts";
import { HealthCard, testAction, Warnings } from "./platform_health.tsx";
import { ShippingMethods } from "./platform_methods.tsx";
import { Imports, Reports } from "./platform_queues.tsx";
import { Stock, StockDifferences, StockPushes, UnlistedProducts } from "./platform_stock.tsx";

/** One store: its imported orders, its reported parcels and its settings. */
export const PlatformScreen = recordScreen("/platforms/:id", PlatformPage);

function PlatformPage({ record: shop, etag, back }: RecordProps<PlatformConnection>) {
  return (
    <Page
      title={shop.name}
      back={back}
      badge={<Badge state={shop.status} />}
      owned={shop}
      below={`${texts.platforms[shop.platform]} · ${shop.store_id}`}
      acts={<Acts shop={shop} etag={etag} />}
    >
      <Warnings shop={shop} />
      <Tabs
        name={titles.platform}
        tabs={[
          { id: "imports", title: words.orders, content: () => <Imports shop={shop} /> },
          { id: "reports", title: words.parcels, content: () => <Reports shop={shop} /> },
          { id: "methods", title: texts.methods, content: () => <ShippingMethods shop={shop} /> },
          { id: "stock", title: stockTexts.tab, content: () => <Stock shop={shop} /> },
          { id: "unlisted", title: stockTexts.unlisted, content: () => <UnlistedProducts shop={shop} /> },
          { id: "pushes", title: stockTexts.pushes, content: () => <StockPushes shop={shop} /> },
          { id: "differences", title: stockTexts.differences, content: () => <StockDifferences shop={shop} /> },
          { id: "details", title: words.details, content: () => <Details shop={shop} /> },
        ]}
      />
    </Page>
  );
}

function Details({ shop }: { readonly shop: PlatformConnection }) {
  const { platform } = shop;
  const choices: readonly DescriptionRow[] = [
    [texts.pendingOrders, texts.pendingChoices[shop.pending_orders]],
    [texts.testOrders, texts.testChoices[shop.test_orders]],
  ];
  const credential = (has: boolean, last: string | null) => (has ? texts.stored(last) : words.none);
  return (
    <Columns
      main={
        <>
          <HealthCard shop={shop} />
          <Card title={texts.callback}>
            <p>{texts.callbackHelp}</p>
            <CopyField text={shop.callback_url} name={texts.callback} />
          </Card>
        </>
      }
      side={
        <Card title={words.details}>
          <DescriptionList
            facts={[
              [texts.storeIds[platform], shop.store_id],
              [texts.apiUrl, shop.api_url],
              [texts.prefix, shop.order_prefix],
              platform === "woocommerce"
                ? [texts.keys[platform], credential(shop.has_api_key, shop.api_key_last_four)]
                : null,
              platform === "shopify" ? [texts.clientId, shop.client_id ?? words.none] : null,
              [texts.tokens[platform], credential(shop.has_api_token, shop.api_token_last_four)],
              [texts.secrets[platform], credential(shop.has_client_secret, shop.client_secret_last_four)],
              ...(platform === "shopify" ? choices : []),
              [texts.created, <Time at={shop.created_at} />],
            ]}
          />
        </Card>
      }
    />
  );
}

function Acts({ shop, etag }: { readonly shop: PlatformConnection; readonly etag: string | null }) {
  const { id, name, status, platform } = shop;
  const change = (next: PlatformConnection["status"]): Pick<Action, "when" | "call" | "match" | "done"> => ({
    when: status !== next,
    call: { method: "PATCH", path: `/platforms/${id}`, body: { status: next } },
    match: etag,
    done: texts.saved(name),
  });
  const actions: readonly Action[] = [
    testAction(shop),
    {
      title: words.edit,
      icon: "edit",
      button: true,
      match: etag,
      done: texts.saved(name),
      ask: { title: words.edit, fields: connectionFields(platform, false), record: shop },
      call: { method: "PATCH", path: `/platforms/${id}` },
    },
    {
      title: words.pause,
      icon: "pause",
      ...change("paused"),
      ask: { title: texts.pauseTitle(name), text: texts.pauseText },
    },
    { title: words.resume, icon: "play", ...change("active") },
    {
      title: texts.remove,
      icon: "delete",
      danger: true,
      match: etag,
      done: texts.removed(name),
      ask: { title: texts.removeTitle(name), text: texts.removeText },
      call: { method: "DELETE", path: `/platforms/${id}` },
      after: () => navigate(to("/settings/platforms"), { replace: true }),
    },
  ];
  return <Actions of={actions} />;
}
