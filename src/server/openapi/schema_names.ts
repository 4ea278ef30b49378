// Names of response schemas, which become type names in generated clients.
import type { TSchema } from "@sinclair/typebox";
import { AddressView, CustomerView } from "../../customers/customer.schema.ts";
import { EventTypeView, EventView } from "../../events/event.schema.ts";
import { MeView, RoleView, SessionView, UserView } from "../../identity/users/user.schema.ts";
import { CountView, PlainCountView, PostedView } from "../../inventory/counts/count.schema.ts";
import { MovementView } from "../../inventory/ledger/movement.schema.ts";
import { ReceiptView } from "../../inventory/receiving/receipt.schema.ts";
import { RestockedView } from "../../inventory/receiving/restock_task.schema.ts";
import { TransferView } from "../../inventory/receiving/transfer.schema.ts";
import { ReservationView } from "../../inventory/reservations/client_reservation.schema.ts";
import { ChangedLotView, LotDetailView, LotView } from "../../inventory/stock/lot.schema.ts";
import { AdjustmentView, ItemView, ReceivedView, StockSummaryView } from "../../inventory/stock/stock.schema.ts";
import { StockBreakdownView } from "../../inventory/stock/stock_breakdown.schema.ts";
import { WarehouseView } from "../../inventory/warehouses/warehouse.schema.ts";
import { PackingSlipView, WalkView } from "../../orders/fulfillment/printing.schema.ts";
import { AllocationView } from "../../orders/fulfillment/stock_plan.schema.ts";
import { Line, OrderView, ReleasedOrderView, ShipmentView } from "../../orders/order.schema.ts";
import { HistoryView, LotRecallView } from "../../orders/search/order_list.schema.ts";
import { ProductView } from "../../products/product.schema.ts";
import { RefundView, ReturnView } from "../../returns/returns.schema.ts";
import { CostsView, LabelView } from "../../shipping/labels/labels.schema.ts";
import { ManifestView, PlainManifestView } from "../../shipping/manifests/manifests.schema.ts";
import { HolidaysView } from "../../shipping/rates/holidays.schema.ts";
import { RatesView } from "../../shipping/rates/quotes.schema.ts";
import { CardHistoryView, ListedRateCard, RateCardView } from "../../shipping/rates/rate_cards.schema.ts";
import { ChartsView, OverridesView, ZonesView } from "../../shipping/zones/zones.schema.ts";
import { ParcelView, ShortTrackingView, TrackedView, TrackingView } from "../../tracking/tracking.schema.ts";
import { AttemptView, DeliveryView, RecoveryView } from "../../webhooks/deliveries/deliveries.schema.ts";
import {
  CreatedSubscriptionView,
  SubscriptionView,
  TestView,
} from "../../webhooks/subscriptions/subscriptions.schema.ts";

/** Schemas by name. Request bodies need no entry: they are named after their operation. */
export const schemaNames: Readonly<Record<string, TSchema>> = {
  Address: AddressView,
  Allocation: AllocationView,
  AddedInventory: ReceivedView,
  ChangedLot: ChangedLotView,
  CreatedWebhook: CreatedSubscriptionView,
  Customer: CustomerView,
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
  OrderHistoryEntry: HistoryView,
  PackingSlip: PackingSlipView,
  Parcel: ParcelView,
  PickWalk: WalkView,
  PlainCycleCount: PlainCountView,
  PostedCycleCount: PostedView,
  Product: ProductView,
  PutBack: RestockedView,
  Holidays: HolidaysView,
  ListedRateCard,
  RateCard: RateCardView,
  RateCardHistoryEntry: CardHistoryView,
  Rates: RatesView,
  Receipt: ReceiptView,
  Refund: RefundView,
  ReleasedOrder: ReleasedOrderView,
  Reservation: ReservationView,
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
