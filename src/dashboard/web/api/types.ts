// Types of the answers of the API, from its schemas. This file has no values, so no schema gets into the bundle.
import type { Static } from "@sinclair/typebox";
import type { ChecksView } from "../../../addresses/schemas.ts";
import type { EntryView } from "../../../audit/schemas.ts";
import type { EventView } from "../../../billing/schemas.ts";
import type { StorageView } from "../../../billing/storage/schemas.ts";
import type { AddressView, CustomerView } from "../../../customers/schemas.ts";
import type { OrderCountsView } from "../../../orders/counts/schemas.ts";
import type { HistoryView } from "../../../orders/history/schemas.ts";
import type { PlanView } from "../../../orders/plans/schemas.ts";
import type { OrderView, SplitView } from "../../../orders/schemas.ts";
import type { ProductView } from "../../../products/schemas.ts";
import type { OverviewView } from "../../../reports/overview/schemas.ts";
import type * as reports from "../../../reports/schemas.ts";
import type { InspectedView, ReturnView } from "../../../returns/schemas.ts";
import type { FoundView, HitView } from "../../../search/schemas.ts";
import type { LabelView } from "../../../shipping/labels/schemas.ts";
import type { ActedView } from "../../../shipping/order_actions/schemas.ts";
import type { RatesView } from "../../../shipping/quotes/schemas.ts";
import type { ParcelView } from "../../../tracking/parcels/schemas.ts";
import type { InvitationView, InvitedView, LinkedInvitationView } from "../../../users/invitations/schemas.ts";
import type { RoleView, SessionView, UserView } from "../../../users/schemas.ts";
import type { FactorView, NewFactorView, RecoveryCodesView } from "../../../users/second_factor/schemas.ts";

export type Product = Static<typeof ProductView>;

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
export type OrderPlan = Static<typeof PlanView>;
export type OrderHistory = Static<typeof HistoryView>;
export type Parcel = Static<typeof ParcelView>;
export type Label = Static<typeof LabelView>;
export type Rates = Static<typeof RatesView>;
export type Rate = Rates["rates"][number];
export type Return = Static<typeof ReturnView>;
export type InspectedReturn = Static<typeof InspectedView>;
export type Customer = Static<typeof CustomerView>;
export type CustomerAddress = Static<typeof AddressView>;
export type AddressCheck = Exclude<Static<typeof ChecksView>, readonly unknown[]>;
/** A customer as `GET /customers/:id` answers it. */
export type CustomerDetail = Customer & { readonly order_count: number };

export type BillableEvent = Static<typeof EventView>;
export type StorageDay = Static<typeof StorageView>;

export type AuditEntry = Static<typeof EntryView>;
export type User = Static<typeof UserView>;
export type Role = Static<typeof RoleView>;
export type SessionEntry = Static<typeof SessionView>;
export type Invitation = Static<typeof InvitationView>;
export type LinkedInvitation = Static<typeof LinkedInvitationView>;
export type Invited = Static<typeof InvitedView>;
export type SecondFactor = Static<typeof FactorView>;
export type NewFactor = Static<typeof NewFactorView>;
export type RecoveryCodes = Static<typeof RecoveryCodesView>;
export type OrderCounts = Static<typeof OrderCountsView>;
export type FoundHit = Static<typeof HitView>;
export type FoundEverywhere = Static<typeof FoundView>;
/** The outcome of a bulk action for each order. */
export type Acted = Static<typeof ActedView>;
