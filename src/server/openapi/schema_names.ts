// Names of response schemas, which become type names in generated clients.
import type { TSchema } from "@sinclair/typebox";
import { CheckView } from "../../addresses/address.schema.ts";
import { BillableEventView } from "../../billing/billing.schema.ts";
import { type IdNoun, idPrefixes } from "../../core/ids.ts";
import {
  codeField,
  DeletedView,
  idField,
  metadataField,
  momentField,
  moneyField,
  textField,
} from "../../core/schema.ts";
import { AddressView, CustomerView } from "../../customers/customer.schema.ts";
import { CustomerDetailView } from "../../customers/customers.routes.ts";
import { EventTypeView, EventView } from "../../events/event.schema.ts";
import { FileView } from "../../files/files.schema.ts";
import { PackingSessionView } from "../../floor/packing/packing.schema.ts";
import { ToteView } from "../../floor/picking/tote.schema.ts";
import {
  PickedView,
  PlainWaveView,
  WaveProgressView,
  WaveView,
  WaveWalkView,
} from "../../floor/picking/wave.schema.ts";
import { CartonRecordView } from "../../floor/printing/cartons.schema.ts";
import { PrintJobView } from "../../floor/printing/print_jobs.schema.ts";
import { PrinterView, StationView } from "../../floor/printing/printers.schema.ts";
import { OpenTaskView, TaskClaimView } from "../../floor/work/work.schema.ts";
import { DryRunImportView } from "../../http/import_report.ts";
import { RequestView } from "../../http/request_log/request_log.schema.ts";
import { CreatedKeyView, KeyView } from "../../identity/api_keys/api_key.schema.ts";
import { EntryView } from "../../identity/audit_log/audit_log.schema.ts";
import { BadgeView } from "../../identity/badges/badge.schema.ts";
import { FloorDeviceView, LinkedFloorDeviceView } from "../../identity/badges/floor_device.schema.ts";
import { EndedView } from "../../identity/sessions/sessions.routes.ts";
import { FactorView, RecoveryCodesView } from "../../identity/sessions/sign_in.schema.ts";
import { InvitationView, LinkedInvitationView } from "../../identity/users/invitation.schema.ts";
import {
  MembershipView,
  MerchantBriefView,
  MeView,
  RoleView,
  SessionView,
  UserView,
} from "../../identity/users/user.schema.ts";
import { FileImportDetailView, FileImportView } from "../../imports/file_imports.schema.ts";
import { CountView, PlainCountView, PostedView } from "../../inventory/counts/count.schema.ts";
import { MovementView } from "../../inventory/ledger/movement.schema.ts";
import { ReceiptView, ScannedView } from "../../inventory/receiving/receipt.schema.ts";
import { RestockedView, RestockTaskView } from "../../inventory/receiving/restock_task.schema.ts";
import { ArrivedView, TransferView } from "../../inventory/receiving/transfer.schema.ts";
import { ReservationView } from "../../inventory/reservations/client_reservation.schema.ts";
import { ChangedLotView, LotDetailView, LotView } from "../../inventory/stock/lot.schema.ts";
import { AdjustmentView, ItemView, ReceivedView, StockSummaryView } from "../../inventory/stock/stock.schema.ts";
import { StockBreakdownView } from "../../inventory/stock/stock_breakdown.schema.ts";
import { WarehouseView } from "../../inventory/warehouses/warehouse.schema.ts";
import { BrandingView } from "../../merchants/branding/branding.schema.ts";
import { MerchantView } from "../../merchants/merchant.schema.ts";
import { BackupRunView, BackupSettingsView, RestorationView } from "../../operations/backups/backups.schema.ts";
import { HealthView } from "../../operations/health/health.schema.ts";
import { NoteView } from "../../orders/changes/tags_and_notes.schema.ts";
import { PackingSlipView, WalkView } from "../../orders/fulfillment/printing.schema.ts";
import { AllocationView } from "../../orders/fulfillment/stock_plan.schema.ts";
import {
  Line,
  OrderPreview,
  OrderView,
  ReleasedOrderView,
  SplitPreview,
  SplitView,
} from "../../orders/order.schema.ts";
import { ShipmentView } from "../../orders/order_parts.schema.ts";
import { HistoryView, LotRecallView } from "../../orders/search/order_list.schema.ts";
import { RuleHistoryView, ShippingRuleView } from "../../orders/shipping_rules/shipping_rules.schema.ts";
import { ConnectionView, ImportView, ReportView } from "../../platforms/platforms.schema.ts";
import { ListingView, ShopStockView } from "../../platforms/stock_updates/stock_updates.schema.ts";
import { DisclosureView, ErasureView, RetentionView } from "../../privacy/privacy.schema.ts";
import { ProductView } from "../../products/product.schema.ts";
import { OverviewView, TopicView } from "../../reports/today/today.schema.ts";
import { InspectedView, RefundPreview, RefundView, ReturnPreview, ReturnView } from "../../returns/returns.schema.ts";
import { AccountView, NewAccountView } from "../../shipping/carriers/accounts.schema.ts";
import { CostsView, LabelView, PackageField } from "../../shipping/labels/labels.schema.ts";
import { ManifestView, PlainManifestView } from "../../shipping/manifests/manifests.schema.ts";
import { DocumentView } from "../../shipping/printing/printed_documents.schema.ts";
import { HolidaysView } from "../../shipping/rates/holidays.schema.ts";
import { ChoiceView, RateOfView, RatesView } from "../../shipping/rates/quotes.schema.ts";
import { amount_max, CardHistoryView, ListedRateCard, RateCardView } from "../../shipping/rates/rate_cards.schema.ts";
import { PackageDimensions, ShippingAddress } from "../../shipping/shipping.schema.ts";
import { ChartsView, OverridesView, ZonesView } from "../../shipping/zones/zones.schema.ts";
import { ofMerchant } from "../../storage/tenant.schema.ts";
import {
  FollowedView,
  ParcelView,
  ShortTrackingView,
  TrackedRecordView,
  TrackedView,
  TrackingView,
} from "../../tracking/tracking.schema.ts";
import {
  AttemptView,
  DeliveryView,
  RecoveryView,
  WholeAttemptView,
} from "../../webhooks/deliveries/deliveries.schema.ts";
import {
  CreatedSubscriptionView,
  NoticeView,
  SubscriptionView,
  TestView,
} from "../../webhooks/subscriptions/subscriptions.schema.ts";
import { pascal } from "./json_schema.ts";

const idNames = (Object.keys(idPrefixes) as IdNoun[]).map((noun) => [`${pascal(noun)}Id`, idField(noun)] as const);

/** Schemas by name. Request bodies need no entry: they are named after their operation. */
export const schemaNames: Readonly<Record<string, TSchema>> = {
  ...Object.fromEntries(idNames),
  Deleted: DeletedView,
  DateOrTimestamp: momentField(),
  BinName: codeField(40),
  LotNumber: codeField(80),
  Text100: textField(100),
  Text200: textField(200),
  Metadata: metadataField(),
  Money: moneyField(),
  RateAmount: moneyField(undefined, amount_max),
  MerchantName: ofMerchant.merchant_id,
  Address: AddressView,
  AddressCheck: CheckView,
  Allocation: AllocationView,
  AddedInventory: ReceivedView,
  ChangedLot: ChangedLotView,
  CreatedWebhook: CreatedSubscriptionView,
  ApiKey: KeyView,
  CreatedApiKey: CreatedKeyView,
  AuditTrailEntry: EntryView,
  RequestLogEntry: RequestView,
  Backup: BackupRunView,
  BackupSettings: BackupSettingsView,
  RestoredRecords: RestorationView,
  BillableEvent: BillableEventView,
  CarrierAccount: AccountView,
  CreatedCarrierAccount: NewAccountView,
  Disclosure: DisclosureView,
  Erasure: ErasureView,
  Retention: RetentionView,
  Health: HealthView,
  ImportResult: DryRunImportView,
  Invitation: InvitationView,
  InvitationWithLink: LinkedInvitationView,
  File: FileView,
  FileImport: FileImportDetailView,
  FileImportSummary: FileImportView,
  Badge: BadgeView,
  Carton: CartonRecordView,
  FloorDevice: FloorDeviceView,
  LinkedFloorDevice: LinkedFloorDeviceView,
  PackingSession: PackingSessionView,
  Printer: PrinterView,
  PrintJob: PrintJobView,
  Station: StationView,
  Task: OpenTaskView,
  TaskClaim: TaskClaimView,
  Tote: ToteView,
  Wave: WaveView,
  WavePicks: PickedView,
  WaveProgress: WaveProgressView,
  WaveSummary: PlainWaveView,
  WaveWalk: WaveWalkView,
  Branding: BrandingView,
  Membership: MembershipView,
  Merchant: MerchantView,
  MerchantSummary: MerchantBriefView,
  Overview: OverviewView,
  OverviewTopic: TopicView,
  Platform: ConnectionView,
  PlatformListing: ListingView,
  PlatformStock: ShopStockView,
  PlatformImport: ImportView,
  PlatformReport: ReportView,
  PrintedDocument: DocumentView,
  SecondFactor: FactorView,
  RecoveryCodes: RecoveryCodesView,
  Customer: CustomerView,
  CustomerDetail: CustomerDetailView,
  CycleCount: CountView,
  Event: EventView,
  EventType: EventTypeView,
  InventoryAdjustment: AdjustmentView,
  InventoryExplanation: StockBreakdownView,
  InventoryItem: ItemView,
  InventoryLevel: StockSummaryView,
  InventoryMovement: MovementView,
  Label: LabelView,
  LabelCosts: CostsView,
  Lot: LotView,
  LotDetail: LotDetailView,
  LotTraceEntry: LotRecallView,
  Manifest: ManifestView,
  ManifestSummary: PlainManifestView,
  NewOrderLine: Line,
  Order: OrderView,
  OrderNote: NoteView,
  OrderPreview,
  OrderHistoryEntry: HistoryView,
  PackingSlip: PackingSlipView,
  Package: PackageField,
  PackageDimensions,
  Parcel: ParcelView,
  ParcelAddress: ShippingAddress,
  PickWalk: WalkView,
  PlainCycleCount: PlainCountView,
  PostedCycleCount: PostedView,
  Product: ProductView,
  PutBack: RestockedView,
  PutBackTask: RestockTaskView,
  Holidays: HolidaysView,
  ShippingRule: ShippingRuleView,
  ShippingRuleHistoryEntry: RuleHistoryView,
  ListedRateCard,
  RateCard: RateCardView,
  RateCardHistoryEntry: CardHistoryView,
  Rate: RateOfView,
  RateChoice: ChoiceView,
  Rates: RatesView,
  Receipt: ReceiptView,
  InspectedReturn: InspectedView,
  ReceivedTransfer: ArrivedView,
  Refund: RefundView,
  RefundPreview,
  ReleasedOrder: ReleasedOrderView,
  Reservation: ReservationView,
  Return: ReturnView,
  ReturnPreview,
  ScannedReceipt: ScannedView,
  SplitOrderPreview: SplitPreview,
  SplitOrderResult: SplitView,
  Shipment: ShipmentView,
  ShortTracking: ShortTrackingView,
  Tracked: TrackedView,
  Tracking: TrackingView,
  FollowedTracking: FollowedView,
  ListedTracking: TrackedRecordView,
  Transfer: TransferView,
  Warehouse: WarehouseView,
  ZoneCharts: ChartsView,
  ZoneExplanation: ZonesView,
  ZoneOverrides: OverridesView,
  Me: MeView,
  Role: RoleView,
  EndedSessions: EndedView,
  Session: SessionView,
  User: UserView,
  Notice: NoticeView,
  Webhook: SubscriptionView,
  WebhookAttempt: AttemptView,
  WebhookAttemptDetail: WholeAttemptView,
  WebhookDelivery: DeliveryView,
  WebhookRecovery: RecoveryView,
  WebhookTest: TestView,
};
