import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import type { PlatformConnection, PlatformTest } from "../../api/developer_types.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Dialog, openDialog } from "../../components/dialog.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card } from "../../components/page.tsx";
import { DescriptionList, Time } from "../../components/values.tsx";
import { platformStockTexts as stockTexts } from "../../text/platform_stock.ts";
import { platformTexts as texts } from "../../text/platforms.ts";

/** What somebody should do about the connection. */
export function Warnings({ shop: { warnings } }: { readonly shop: PlatformConnection }) {
  return warnings.map(({ code, message }) => (
    <Notice key={code} kind="warning">
      <p>{message}</p>
    </Notice>
  ));
}

/** How the connection works: what came and went last, and what failed. */
export function HealthCard({ shop: { health, platform, client_id } }: { readonly shop: PlatformConnection }) {
  const time = (at: string | null) => (at === null ? texts.notYet : <Time at={at} />);
  return (
    <Card title={texts.health}>
      <DescriptionList
        facts={[
          [texts.lastNotification, time(health.last_notification_at)],
          [texts.lastFetch, time(health.last_fetch_at)],
          [texts.lastReport, time(health.last_report_at)],
          [texts.failedImports, String(health.failed_imports)],
          [texts.failedReports, String(health.failed_reports)],
          [stockTexts.lastPush, time(health.last_stock_push_at)],
          [stockTexts.failed, String(health.failed_listings)],
          [stockTexts.openDifferences, String(health.stock_differences)],
          platform === "shopify" && client_id !== null ? [texts.tokenExpires, time(health.token_expires_at)] : null,
        ]}
      />
    </Card>
  );
}

const result_tones = { ok: "good", warning: "warning", failed: "bad" } as const;

/** Tests the connection and shows a line for each check. */
export const testAction = (shop: PlatformConnection): Action => ({
  title: texts.test,
  icon: "plug",
  button: true,
  run: async (_values, key) => {
    const { data } = await post<PlatformTest>(`/platforms/${shop.id}/test`, {}, { key });
    openDialog((close) => <TestDialog shop={shop} first={data} onClose={close} />);
  },
});

interface TestDialogProps {
  readonly shop: PlatformConnection;
  readonly first: PlatformTest;
  readonly onClose: () => void;
}

/** The results of a test. Webhooks that are missing can be created where the platform allows it. */
function TestDialog({ shop: { id, name, platform }, first, onClose }: TestDialogProps) {
  const [{ checks }, show] = useState(first);
  const misses = checks.some(({ check, result }) => check === "notifications" && result !== "ok");
  const can_create = misses && platform !== "bigcommerce";
  const create: Action = {
    title: texts.createWebhooks,
    button: "primary",
    call: { method: "POST", path: `/platforms/${id}/test`, body: { create_webhooks: true } },
    after: show,
  };
  return (
    <Dialog title={texts.testTitle(name)} onClose={onClose} wide>
      <ul class="check-lines">
        {checks.map(({ check, result, message }) => (
          <li key={`${check} ${message}`}>
            <Badge tone={result_tones[result]}>{texts.results[result]}</Badge>
            <div>
              <strong>{texts.checks[check]}</strong>
              <p>{message}</p>
            </div>
          </li>
        ))}
      </ul>
      {can_create && (
        <div class="dialog-acts">
          <Actions of={[create]} />
        </div>
      )}
    </Dialog>
  );
}
