// Types of keys, webhooks and requests, from the schemas of the API. This file has no values.
import type { Static } from "@sinclair/typebox";
import type { EventView } from "../../../events/event.schema.ts";
import type { RequestView } from "../../../http/request_log/request_log.schema.ts";
import type { KeyView } from "../../../identity/api_keys/api_key.schema.ts";
import type { BackupRunView, BackupSettingsView, RestorationView } from "../../../operations/backups/backups.schema.ts";
import type { ServerView } from "../../../operations/health/health.schema.ts";
import type { HistoryView } from "../../../operations/health/servers.routes.ts";
import type { MailView, TestMailView } from "../../../operations/mail.schema.ts";
import type {
  ConnectionTestView,
  ConnectionView,
  ImportView,
  ReportView,
  ShippingMethodsView,
} from "../../../platforms/platforms.schema.ts";
import type {
  ListingView,
  ShopStockView,
  StockDifferenceView,
  StockPushView,
  UnlistedProductView,
} from "../../../platforms/stock_updates/stock_updates.schema.ts";
import type { DisclosureView, ErasureView, RetentionView } from "../../../privacy/privacy.schema.ts";
import type {
  AttemptView,
  DeliveryView,
  RecoveryView,
  WholeAttemptView,
} from "../../../webhooks/deliveries/deliveries.schema.ts";
import type { NoticeView, SubscriptionView, TestView } from "../../../webhooks/subscriptions/subscriptions.schema.ts";

export type ApiKey = Static<typeof KeyView>;
export type MadeKey = ApiKey & { readonly key: string };
export type LoggedRequest = Static<typeof RequestView>;
export type BackupRun = Static<typeof BackupRunView>;
export type BackupSettings = Static<typeof BackupSettingsView>;
export type Server = Static<typeof ServerView>;
export type MailSettings = Static<typeof MailView>;
export type MailTest = Static<typeof TestMailView>;
export type History = Static<typeof HistoryView>;
export type ApiEvent = Static<typeof EventView>;
export type PlatformConnection = Static<typeof ConnectionView>;
export type PlatformTest = Static<typeof ConnectionTestView>;
export type PlatformShippingMethod = Static<typeof ShippingMethodsView>[number];
export type PlatformImport = Static<typeof ImportView>;
export type PlatformReport = Static<typeof ReportView>;
export type PlatformStock = Static<typeof ShopStockView>;
export type PlatformListing = Static<typeof ListingView>;
export type UnlistedProduct = Static<typeof UnlistedProductView>;
export type StockPush = Static<typeof StockPushView>;
export type StockDifference = Static<typeof StockDifferenceView>;
export type Webhook = Static<typeof SubscriptionView>;
export type MadeWebhook = Webhook & { readonly secret: string };
export type Delivery = Static<typeof DeliveryView>;
export type Attempt = Static<typeof AttemptView>;
export type WholeAttempt = Static<typeof WholeAttemptView>;
export type Notice = Static<typeof NoticeView>;
export type Recovery = Static<typeof RecoveryView>;
export type TestResult = Static<typeof TestView>;
export type ErasureRecord = Static<typeof ErasureView>;
export type AccessExport = Static<typeof DisclosureView>;
export type Retention = Static<typeof RetentionView>;

export type Restoration = Static<typeof RestorationView>;
