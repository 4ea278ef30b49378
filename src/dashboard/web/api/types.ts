// Types of API responses, from the API's own schemas. This file has no values, so no schema gets into the bundle.

import type { Static } from "@sinclair/typebox";
import type { ChecksView } from "../../../addresses/address.schema.ts";
import type { BillableEventView, StorageView } from "../../../billing/billing.schema.ts";
import type { AddressView, CustomerView } from "../../../customers/customer.schema.ts";
import type { PackingSessionView } from "../../../floor/packing/packing.schema.ts";
import type { ToteView } from "../../../floor/picking/tote.schema.ts";
import type {
  PickedView,
  PlainWaveView,
  PlanWave,
  shortPickReasons,
  WavePlanView,
  WaveView,
  WaveWalkView,
} from "../../../floor/picking/wave.schema.ts";
import type { CartonRecordView } from "../../../floor/printing/cartons.schema.ts";
import type { PrintJobView } from "../../../floor/printing/print_jobs.schema.ts";
import type { PrinterView, StationView } from "../../../floor/printing/printers.schema.ts";
import type { LookupView } from "../../../floor/scanning/lookup.schema.ts";
import type { ExceptionCountsView, ExceptionView } from "../../../floor/work/exceptions.schema.ts";
import type { NextTaskView, WorkView } from "../../../floor/work/work.schema.ts";
import type { EntryView } from "../../../identity/audit_log/audit_log.schema.ts";
import type { BadgeView, NewBadgeView } from "../../../identity/badges/badge.schema.ts";
import type {
  FloorDeviceView,
  LinkedFloorDeviceView,
  OwnDeviceView,
} from "../../../identity/badges/floor_device.schema.ts";
import type { FactorView, NewFactorView, RecoveryCodesView } from "../../../identity/sessions/sign_in.schema.ts";
import type { InvitationView, InvitedView, LinkedInvitationView } from "../../../identity/users/invitation.schema.ts";
import type { RoleView, SessionView, UserView } from "../../../identity/users/user.schema.ts";
import type { FileImportDetailView, FileImportView, ImportedRowView } from "../../../imports/file_imports.schema.ts";
import type { CountView, PlainCountView } from "../../../inventory/counts/count.schema.ts";
import type { MovementView } from "../../../inventory/ledger/movement.schema.ts";
import type { MovedView } from "../../../inventory/receiving/move_stock.schema.ts";
import type { ReceiptView } from "../../../inventory/receiving/receipt.schema.ts";
import type { RestockTaskView } from "../../../inventory/receiving/restock_task.schema.ts";
import type { TransferView } from "../../../inventory/receiving/transfer.schema.ts";
import type { LotDetailView, LotView } from "../../../inventory/stock/lot.schema.ts";
import type {
  AdjustmentView,
  ItemView,
  ReceivedView,
  StockSummaryView,
} from "../../../inventory/stock/stock.schema.ts";
import type { StockBreakdownView } from "../../../inventory/stock/stock_breakdown.schema.ts";
import type { BinView, StoredItemView } from "../../../inventory/warehouses/bin.schema.ts";
import type { WarehouseView } from "../../../inventory/warehouses/warehouse.schema.ts";
import type { NoteView } from "../../../orders/changes/tags_and_notes.schema.ts";
import type { PlanView } from "../../../orders/fulfillment/stock_plan.schema.ts";
import type {
  OrderPreview as OrderPreviewView,
  OrderView,
  SplitPreview,
  SplitView,
} from "../../../orders/order.schema.ts";
import type {
  HistoryView,
  LotRecallView,
  OrderCountsView,
  UsedTagView,
} from "../../../orders/search/order_list.schema.ts";
import type {
  EvaluationView,
  RuleHistoryView,
  ShippingRuleView,
  TrialView,
} from "../../../orders/shipping_rules/shipping_rules.schema.ts";
import type { ProductView } from "../../../products/product.schema.ts";
import type * as reports from "../../../reports/reports.schema.ts";
import type { FoundView, HitView } from "../../../reports/search/search.schema.ts";
import type { OverviewView } from "../../../reports/today/today.schema.ts";
import type { InspectedView, ReturnView } from "../../../returns/returns.schema.ts";
import type { AccountView, ConnectorsView, NewAccountView } from "../../../shipping/carriers/accounts.schema.ts";
import type { LabelView } from "../../../shipping/labels/labels.schema.ts";
import type {
  ManifestView,
  PlainManifestView,
  ShippedManifestView,
} from "../../../shipping/manifests/manifests.schema.ts";
import type { ActedView } from "../../../shipping/order_actions.schema.ts";
import type { DocumentView } from "../../../shipping/printing/printed_documents.schema.ts";
import type { HolidaysView } from "../../../shipping/rates/holidays.schema.ts";
import type { CarriersView, RatesView } from "../../../shipping/rates/quotes.schema.ts";
import type { CardHistoryView, ListedRateCard, RateCardView } from "../../../shipping/rates/rate_cards.schema.ts";
import type { ChartsView, OverridesView, ZoneMapView, ZonesView } from "../../../shipping/zones/zones.schema.ts";
import type { ParcelView } from "../../../tracking/tracking.schema.ts";

export type Level = Static<typeof StockSummaryView>;
export type StockOfSku = Static<typeof ItemView>;
export type Explanation = Static<typeof StockBreakdownView>;
export type Adjustment = Static<typeof AdjustmentView>;
export type AddedStock = Static<typeof ReceivedView>;
export type StockMoveResult = Static<typeof MovedView>;
export type Movement = Static<typeof MovementView>;
export type Placed = Static<typeof StoredItemView>;
export type Bin = Static<typeof BinView>;
export type CartonRecord = Static<typeof CartonRecordView>;
export type Printer = Static<typeof PrinterView>;
export type PrintJob = Static<typeof PrintJobView>;
export type Station = Static<typeof StationView>;
export type WarehouseRecord = Static<typeof WarehouseView>;
export type LotRecord = Static<typeof LotView>;
export type LotDetail = Static<typeof LotDetailView>;
export type Traced = Static<typeof LotRecallView>;
export type StockCount = Static<typeof CountView>;
export type PlainCount = Static<typeof PlainCountView>;
export type Receipt = Static<typeof ReceiptView>;
export type Transfer = Static<typeof TransferView>;
export type WaitingUnits = Static<typeof RestockTaskView>;
export type FileImport = Static<typeof FileImportView>;
export type FileImportDetail = Static<typeof FileImportDetailView>;
export type ImportedRow = Static<typeof ImportedRowView>;

export type ProductRecord = Static<typeof ProductView>;

export type ExceptionRow = Static<typeof ExceptionView>;
export type ExceptionCounts = Static<typeof ExceptionCountsView>;
export type Overview = Static<typeof OverviewView>;
export type Departure = Overview["departures"][number];
export type Topic = Overview["waiting"][number];
export type OrdersReport = reports.OrdersReport;
export type OnTimeReport = reports.OnTimeReport;
export type PickingReport = reports.PickingReport;
export type CarrierCostReport = reports.CarrierCostReport;
export type SalesReport = reports.SalesReport;
export type AgeingReport = reports.AgeingReport;
export type TurnsReport = reports.TurnsReport;
export type FillRateReport = reports.FillRateReport;
export type Order = Static<typeof OrderView>;
export type OrderLine = Order["line_items"][number];
export type SplitOrder = Static<typeof SplitView>;
export type OrderPreview = Static<typeof OrderPreviewView>;
/** An order as a dry run shows it, with the new order if it is split. */
export type RehearsedOrder = OrderPreview | Static<typeof SplitPreview>;
export type OrderPlan = Static<typeof PlanView>;
export type OrderHistory = Static<typeof HistoryView>;
export type OrderNote = Static<typeof NoteView>;
export type UsedTag = Static<typeof UsedTagView>;
export type OrderParcel = Static<typeof ParcelView>;
export type LabelRecord = Static<typeof LabelView>;
/** A file of printed documents. */
export type PrintedDocument = Static<typeof DocumentView>;
export type LabelRates = Static<typeof RatesView>;
export type LabelRate = LabelRates["rates"][number];
export type Return = Static<typeof ReturnView>;
export type InspectedReturn = Static<typeof InspectedView>;
export type Customer = Static<typeof CustomerView>;
export type CustomerAddress = Static<typeof AddressView>;
export type AddressCheck = Exclude<Static<typeof ChecksView>, readonly unknown[]>;
/** A customer as returned by `GET /customers/:id`. */
export type CustomerDetail = Customer & { readonly order_count: number };

export type BillableEvent = Static<typeof BillableEventView>;
export type StorageDay = Static<typeof StorageView>;

export type AuditEntry = Static<typeof EntryView>;
export type User = Static<typeof UserView>;
export type Role = Static<typeof RoleView>;
export type SessionEntry = Static<typeof SessionView>;
export type FloorDevice = Static<typeof FloorDeviceView>;
export type LinkedFloorDevice = Static<typeof LinkedFloorDeviceView>;
export type OwnDevice = Static<typeof OwnDeviceView>;
export type BadgeState = Static<typeof BadgeView>;
export type NewBadge = Static<typeof NewBadgeView>;
export type Invitation = Static<typeof InvitationView>;
export type LinkedInvitation = Static<typeof LinkedInvitationView>;
export type Invited = Static<typeof InvitedView>;
export type SecondFactorState = Static<typeof FactorView>;
export type NewFactor = Static<typeof NewFactorView>;
export type RecoveryCodes = Static<typeof RecoveryCodesView>;
export type OrderCounts = Static<typeof OrderCountsView>;
export type SearchHit = Static<typeof HitView>;
export type SearchResults = Static<typeof FoundView>;
/** The outcome of a bulk action for each order. */
export type BulkActionResult = Static<typeof ActedView>;

export type Account = Static<typeof AccountView>;
export type NewAccount = Static<typeof NewAccountView>;
export type Connectors = Static<typeof ConnectorsView>;
export type CarrierList = Static<typeof CarriersView>;
export type Holidays = Static<typeof HolidaysView>;
export type ShippingRule = Static<typeof ShippingRuleView>;
export type RuleHistory = Static<typeof RuleHistoryView>;
export type RuleTrial = Static<typeof TrialView>;
export type RuleEvaluation = Static<typeof EvaluationView>;
export type ManifestRecord = Static<typeof ManifestView>;
export type ShippedManifest = Static<typeof ShippedManifestView>;
export type PlainManifest = Static<typeof PlainManifestView>;
export type ListedCard = Static<typeof ListedRateCard>;
export type RateCard = Static<typeof RateCardView>;
export type CardHistory = Static<typeof CardHistoryView>;
export type ZoneMap = Static<typeof ZoneMapView>;
export type Zones = Static<typeof ZonesView>;
export type Overrides = Static<typeof OverridesView>;
export type Charts = Static<typeof ChartsView>;

export type ScanLookup = Static<typeof LookupView>;
export type Tote = Static<typeof ToteView>;
export type PlainWave = Static<typeof PlainWaveView>;
export type WavePlan = Static<typeof WavePlanView>;
export type WaveRequest = Static<typeof PlanWave>;
export type WaveRecord = Static<typeof WaveView>;
export type WaveWalk = Static<typeof WaveWalkView>;
export type WaveStop = WaveWalk["stops"][number];
export type Picked = Static<typeof PickedView>;
export type ShortPickReason = (typeof shortPickReasons)[number];
export type PackingSession = Static<typeof PackingSessionView>;
export type WorkList = Static<typeof WorkView>;
export type WorkTask = WorkList["tasks"][number];
export type NextTask = Static<typeof NextTaskView>;
