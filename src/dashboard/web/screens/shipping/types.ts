// Types of shipping, from the schemas of the API. This file has no values.
import type { Static } from "@sinclair/typebox";
import type { WarehouseView } from "../../../../inventory/warehouses/schemas.ts";
import type { AccountView, ConnectorsView, NewAccountView } from "../../../../shipping/accounts/schemas.ts";
import type { HolidaysView } from "../../../../shipping/delivery/schemas.ts";
import type { LabelView } from "../../../../shipping/labels/schemas.ts";
import type { ManifestView, PlainManifestView } from "../../../../shipping/manifests/schemas.ts";
import type { CarriersView, RatesView } from "../../../../shipping/quotes/schemas.ts";
import type { CardHistoryView, ListedRateCard, RateCardView } from "../../../../shipping/rates/schemas.ts";
import type { ChartsView, OverridesView, ZoneMapView, ZonesView } from "../../../../shipping/zones/schemas.ts";

export type Account = Static<typeof AccountView>;
export type NewAccount = Static<typeof NewAccountView>;
export type Connectors = Static<typeof ConnectorsView>;
export type Carriers = Static<typeof CarriersView>;
export type Holidays = Static<typeof HolidaysView>;
export type Label = Static<typeof LabelView>;
export type Manifest = Static<typeof ManifestView>;
export type PlainManifest = Static<typeof PlainManifestView>;
export type Rates = Static<typeof RatesView>;
export type ListedCard = Static<typeof ListedRateCard>;
export type RateCard = Static<typeof RateCardView>;
export type CardHistory = Static<typeof CardHistoryView>;
export type ZoneMap = Static<typeof ZoneMapView>;
export type Zones = Static<typeof ZonesView>;
export type Overrides = Static<typeof OverridesView>;
export type Charts = Static<typeof ChartsView>;
export type Warehouse = Static<typeof WarehouseView>;
