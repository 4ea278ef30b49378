// Names of enumerations that occur in several places. They become type names in generated clients.
import { weekdays } from "../../core/time_zone.ts";
import { eventTypes } from "../../events/event_types.ts";
import { taskKinds, waveModes, waveStatuses } from "../../floor/floor.transitions.ts";
import { exceptionKinds } from "../../floor/work/exception.ts";
import { roles } from "../../identity/users/roles.ts";
import {
  adjustmentReasons,
  binKinds,
  itemStatuses,
  lotStatuses,
  settableLotStatuses,
} from "../../inventory/inventory.transitions.ts";
import {
  cancelReasons,
  fulfillmentStatuses,
  holdReasons,
  orderStatuses,
  publicOrderStatuses,
  shipmentStatuses,
} from "../../orders/order.transitions.ts";
import { personalKinds } from "../../privacy/personal_records.ts";
import { temperatureZones } from "../../products/product.ts";
import { conditions, refundStatuses, returnReasons, returnStatuses } from "../../returns/return.transitions.ts";
import { trackingEventStatuses, trackingStatuses } from "../../shipping/carriers/tracking.transitions.ts";
import { zoneReasons } from "../../shipping/zones/zone.ts";

/** Enumerations by name. Others that occur several times are named after their shortest place. */
export const enumNames: Readonly<Record<string, readonly string[]>> = {
  AdjustmentReason: adjustmentReasons,
  BinKind: binKinds,
  CancelReason: cancelReasons,
  EventName: eventTypes,
  ExceptionKind: exceptionKinds,
  FulfillmentStatus: fulfillmentStatuses,
  HoldReason: holdReasons,
  LotStatus: lotStatuses,
  // The status of an order without its holds.
  OrderProgress: orderStatuses,
  OrderStatus: publicOrderStatuses,
  PersonalRecordType: personalKinds,
  RefundStatus: refundStatuses,
  ReturnCondition: conditions,
  ReturnReason: returnReasons,
  ReturnStatus: returnStatuses,
  RoleName: roles,
  SettableLotStatus: settableLotStatuses,
  ShipmentStatus: shipmentStatuses,
  StockStatus: itemStatuses,
  TaskKind: taskKinds,
  TemperatureZone: temperatureZones,
  TrackingEventStatus: trackingEventStatuses,
  TrackingStatus: trackingStatuses,
  WaveMode: waveModes,
  WaveStatus: waveStatuses,
  Weekday: weekdays,
  ZoneReason: zoneReasons,
};
