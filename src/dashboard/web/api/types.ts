// The shapes of the API's answers, from the API's own schemas. Types alone: no value of theirs comes into the page.
import type { Static } from "@sinclair/typebox";
import type { CustomerView } from "../../../customers/schemas.ts";
import type { ProductView } from "../../../products/schemas.ts";
import type { OverviewView } from "../../../reports/overview/schemas.ts";
import type * as reports from "../../../reports/schemas.ts";

export type Customer = Static<typeof CustomerView>;
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
