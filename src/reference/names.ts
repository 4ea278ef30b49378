// The names of the shapes that answers are made of, as generated clients will call their types.
import type { TSchema } from "@sinclair/typebox";
import { AddressView, CustomerView } from "../customers/schemas.ts";
import { BookingView } from "../inventory/bookings/schemas.ts";
import { CountView, PlainCountView, PostedView } from "../inventory/counts/schemas.ts";
import { ExplanationView } from "../inventory/explanations/schemas.ts";
import { MovementView } from "../inventory/ledger/schemas.ts";
import { ChangedLot, LotDetail, LotView } from "../inventory/lots/schemas.ts";
import { PutBackView } from "../inventory/putbacks/schemas.ts";
import { ReceiptView } from "../inventory/receipts/schemas.ts";
import { AdjustmentView, ItemView, LevelView, ReceivedView } from "../inventory/stock/schemas.ts";
import { TransferView } from "../inventory/transfers/schemas.ts";
import { WarehouseView } from "../inventory/warehouses/schemas.ts";
import { AllocationView } from "../orders/allocation/schemas.ts";
import { HistoryView } from "../orders/history/schemas.ts";
import { Line, OrderView, ReleasedView, ShipmentView } from "../orders/schemas.ts";
import { TraceView } from "../orders/traces/schemas.ts";
import { EventTypeView, EventView } from "../outbox/schemas.ts";
import { PackingSlipView, WalkView } from "../papers/schemas.ts";
import { ProductView } from "../products/schemas.ts";
import { RefundView } from "../returns/refunds/schemas.ts";
import { ReturnView } from "../returns/schemas.ts";
import { HolidaysView } from "../shipping/delivery/schemas.ts";
import { CostsView } from "../shipping/labels/list/schemas.ts";
import { LabelView } from "../shipping/labels/schemas.ts";
import { ManifestView, PlainManifestView } from "../shipping/manifests/schemas.ts";
import { RatesView } from "../shipping/quotes/schemas.ts";
import { CardHistoryView, ListedRateCard, RateCardView } from "../shipping/rates/schemas.ts";
import { ChartsView, OverridesView, ZonesView } from "../shipping/zones/schemas.ts";
import { ParcelView } from "../tracking/parcels/schemas.ts";
import { ShortTrackingView, TrackedView, TrackingView } from "../tracking/schemas.ts";
import { MeView, RoleView, SessionView, UserView } from "../users/schemas.ts";
import { DeliveryView } from "../webhooks/deliveries/schemas.ts";
import { AttemptView } from "../webhooks/logs/schemas.ts";
import { RecoveryView } from "../webhooks/recoveries/schemas.ts";
import { CreatedSubscriptionView, SubscriptionView } from "../webhooks/subscriptions/schemas.ts";
import { TestView } from "../webhooks/test_events/schemas.ts";

/** Shapes by name. A body needs no row: it is called by its operation. */
export const schemaNames: Readonly<Record<string, TSchema>> = {
  Address: AddressView,
  Allocation: AllocationView,
  AddedInventory: ReceivedView,
  ChangedLot,
  CreatedWebhook: CreatedSubscriptionView,
  Customer: CustomerView,
  CycleCount: CountView,
  Event: EventView,
  EventType: EventTypeView,
  InventoryAdjustment: AdjustmentView,
  InventoryExplanation: ExplanationView,
  InventoryItem: ItemView,
  InventoryLevel: LevelView,
  InventoryMovement: MovementView,
  Label: LabelView,
  LabelCosts: CostsView,
  Lot: LotView,
  LotDetail,
  LotTraceEntry: TraceView,
  Manifest: ManifestView,
  ManifestSummary: PlainManifestView,
  NewOrderLine: Line,
  Order: OrderView,
  OrderHistoryEntry: HistoryView,
  PackingSlip: PackingSlipView,
  Parcel: ParcelView,
  PickWalk: WalkView,
  PlainCycleCount: PlainCountView,
  PostedCycleCount: PostedView,
  Product: ProductView,
  PutBack: PutBackView,
  Holidays: HolidaysView,
  ListedRateCard,
  RateCard: RateCardView,
  RateCardHistoryEntry: CardHistoryView,
  Rates: RatesView,
  Receipt: ReceiptView,
  Refund: RefundView,
  ReleasedOrder: ReleasedView,
  Reservation: BookingView,
  Return: ReturnView,
  Shipment: ShipmentView,
  ShortTracking: ShortTrackingView,
  Tracked: TrackedView,
  Tracking: TrackingView,
  Transfer: TransferView,
  Warehouse: WarehouseView,
  ZoneCharts: ChartsView,
  ZoneExplanation: ZonesView,
  ZoneOverrides: OverridesView,
  Me: MeView,
  Role: RoleView,
  Session: SessionView,
  User: UserView,
  Webhook: SubscriptionView,
  WebhookAttempt: AttemptView,
  WebhookDelivery: DeliveryView,
  WebhookRecovery: RecoveryView,
  WebhookTest: TestView,
};
