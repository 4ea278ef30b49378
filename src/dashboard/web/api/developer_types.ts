// Types of keys, webhooks and requests, from the schemas of the API. This file has no values.
import type { Static } from "@sinclair/typebox";
import type { RestorationView } from "../../../backups/restoring/schemas.ts";
import type { KeyView } from "../../../keys/schemas.ts";
import type { HistoryView } from "../../../operations/history/routes.ts";
import type { MailView, TestMailView } from "../../../operations/mail/schemas.ts";
import type { RequestView } from "../../../operations/requests/schemas.ts";
import type { EventView } from "../../../outbox/schemas.ts";
import type { ConnectionView } from "../../../platforms/connections/schemas.ts";
import type { ImportView } from "../../../platforms/imports/schemas.ts";
import type { ReportView } from "../../../platforms/reports/schemas.ts";
import type { DeliveryView } from "../../../webhooks/deliveries/schemas.ts";
import type { AttemptView, WholeAttemptView } from "../../../webhooks/logs/schemas.ts";
import type { NoticeView } from "../../../webhooks/notices/schemas.ts";
import type { RecoveryView } from "../../../webhooks/recoveries/schemas.ts";
import type { SubscriptionView } from "../../../webhooks/subscriptions/schemas.ts";
import type { TestView } from "../../../webhooks/test_events/schemas.ts";

export type ApiKey = Static<typeof KeyView>;
export type MadeKey = ApiKey & { readonly key: string };
export type LoggedRequest = Static<typeof RequestView>;
export type MailSettings = Static<typeof MailView>;
export type MailTest = Static<typeof TestMailView>;
export type History = Static<typeof HistoryView>;
export type ApiEvent = Static<typeof EventView>;
export type Connection = Static<typeof ConnectionView>;
export type PlatformImport = Static<typeof ImportView>;
export type PlatformReport = Static<typeof ReportView>;
export type Webhook = Static<typeof SubscriptionView>;
export type MadeWebhook = Webhook & { readonly secret: string };
export type Delivery = Static<typeof DeliveryView>;
export type Attempt = Static<typeof AttemptView>;
export type WholeAttempt = Static<typeof WholeAttemptView>;
export type Notice = Static<typeof NoticeView>;
export type Recovery = Static<typeof RecoveryView>;
export type TestResult = Static<typeof TestView>;

export type Restoration = Static<typeof RestorationView>;
