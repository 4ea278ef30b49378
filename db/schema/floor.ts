// Work on the floor: waves and totes, tasks that someone has claimed, packing, and printing.
import type { ActorType } from "../../src/core/actor.ts";
import { type WeightUnit, weightUnits } from "../../src/core/weight_units.ts";
import type { ZplResolution } from "../../src/documents/drawing.ts";
import {
  type PackingStatus,
  type PrinterKind,
  type PrintJobStatus,
  type PrintKind,
  packingStatuses,
  printJobStatuses,
  type TaskKind,
  type WaveMode,
  type WaveStatus,
  waveStatuses,
} from "../../src/floor/floor.transitions.ts";
import type { CartonDescription } from "../../src/floor/printing/carton.ts";
import type { PrintErrorCode } from "../../src/floor/printing/print_job.ts";
import type { PrinterMedia } from "../../src/floor/printing/printer.ts";
import {
  bool,
  check,
  folded,
  id,
  index,
  int,
  json,
  oneOf,
  primaryKey,
  table,
  text,
  time,
  unique,
  where,
} from "../kit.ts";
import { owner, ownerOrOperator, sameOwner } from "./merchants.ts";
import { orders } from "./orders.ts";
import { warehouses } from "./warehouses.ts";

const warehouse = () =>
  int()
    .notNull()
    .references(() => warehouses.id);

const order = () =>
  int()
    .notNull()
    .references(() => orders.id);

const actor = () => ({
  actor_type: text().$type<ActorType>().notNull(),
  actor_id: text().notNull(),
  actor_name: text().notNull(),
});

/** Orders that are picked in one walk. What is left to pick follows from the allocations of its orders. */
export const waves = table(
  "waves",
  {
    id: id(),
    warehouse_id: warehouse(),
    mode: text().$type<WaveMode>().notNull(),
    status: text().$type<WaveStatus>().notNull(),
    /** What its orders had to match, and how many were taken at most, as requested. */
    filters: json<Record<string, unknown>>().notNull(),
    limits: json<Record<string, number>>().notNull(),
    ...actor(),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    released_at: time(),
    picked_at: time(),
    closed_at: time(),
    cancelled_at: time(),
  },
  (t) => [
    index("waves_created").on(t.created_at, t.id),
    index("waves_pickable").on(t.id).where(where("status in ('released', 'picking', 'picked')")),
    oneOf("waves", "status", waveStatuses),
  ],
);

/** The orders of waves. An order is in one open wave at most. */
export const wave_orders = table(
  "wave_orders",
  {
    wave_id: int()
      .notNull()
      .references(() => waves.id),
    merchant_id: sameOwner(),
    order_id: order(),
    /** Its place in the wave, from 1. */
    position: int().notNull(),
    /** Units that were left to pick when it came into the wave. */
    units: int().notNull(),
    /** Whether it still belongs to the wave: until it is packed, cancelled or removed, or the wave ends. */
    open: bool().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.wave_id, t.order_id] }),
    unique("wave_orders_open").on(t.order_id).where(where("open = true")),
    index("wave_orders_order").on(t.order_id),
  ],
);

/** Boxes and slots of carts. Each holds the picked units of one order at a time. */
export const totes = table(
  "totes",
  {
    id: id(),
    warehouse_id: warehouse(),
    code: text().notNull(),
    order_id: int().references(() => orders.id),
    wave_id: int().references(() => waves.id),
    /** When the order was assigned. */
    assigned_at: time(),
    /** When it was set aside because units of its order were not found; null while nobody has to look at it. */
    set_aside_at: time(),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    unique("totes_code").on(t.warehouse_id, folded(t.code)),
    index("totes_order").on(t.order_id).where(where("order_id is not null")),
    index("totes_wave").on(t.wave_id).where(where("wave_id is not null")),
    check("totes_assigned", "(order_id is null) = (assigned_at is null)"),
    check("totes_empty", "order_id is not null or (wave_id is null and set_aside_at is null)"),
  ],
);

/** Tasks that someone works on, until the lease ends. Tasks themselves follow from waves, orders and stock. */
export const work_claims = table(
  "work_claims",
  {
    id: id(),
    kind: text().$type<TaskKind>().notNull(),
    /** The id of the wave or order that the task is about. */
    subject_id: int().notNull(),
    warehouse_id: warehouse(),
    /** The device that the person works with, as it names itself. */
    device: text().notNull(),
    ...actor(),
    claimed_at: time().notNull(),
    expires_at: time().notNull(),
  },
  (t) => [
    unique("work_claims_task").on(t.kind, t.subject_id),
    index("work_claims_expiry").on(t.expires_at),
    index("work_claims_actor").on(t.actor_type, t.actor_id),
  ],
);

/** Printers of a warehouse. */
export const printers = table(
  "printers",
  {
    id: id(),
    warehouse_id: warehouse(),
    name: text().notNull(),
    kind: text().$type<PrinterKind>().notNull(),
    host: text().notNull(),
    port: int().notNull(),
    /** The path of an IPP printer, such as `/ipp/print`. */
    path: text(),
    /** The paper or label in it, such as `4x6` or `a4`. */
    media: text().$type<PrinterMedia>().notNull(),
    /** Dots per inch of a label printer. */
    dpi: int().$type<ZplResolution>(),
    active: bool().notNull().default(true),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    unique("printers_name").on(t.warehouse_id, folded(t.name)),
    check("printers_port", "port between 1 and 65535"),
  ],
);

/** Packing tables with their printers. */
export const stations = table(
  "stations",
  {
    id: id(),
    warehouse_id: warehouse(),
    name: text().notNull(),
    label_printer_id: int().references(() => printers.id),
    document_printer_id: int().references(() => printers.id),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    unique("stations_name").on(t.warehouse_id, folded(t.name)),
    index("stations_label_printer").on(t.label_printer_id),
    index("stations_document_printer").on(t.document_printer_id),
  ],
);

/** Documents that are sent to printers. Their content is made when they are sent. */
export const print_jobs = table(
  "print_jobs",
  {
    id: id(),
    /** The merchant of its order; null for a test page. */
    merchant_id: ownerOrOperator(),
    printer_id: int()
      .notNull()
      .references(() => printers.id),
    kind: text().$type<PrintKind>().notNull(),
    order_id: int().references(() => orders.id),
    /** The parcel of a slip; null for the whole order. */
    shipment_id: int(),
    label_id: int(),
    status: text().$type<PrintJobStatus>().notNull(),
    attempts: int().notNull(),
    /** When it is sent next, or the end of a server's claim to send it; null when finished. */
    due_at: time(),
    /** Why it failed, or was last not sent. */
    error_code: text().$type<PrintErrorCode>(),
    error: text(),
    /** The job that it prints again. */
    reprint_of: int(),
    ...actor(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    sent_at: time(),
  },
  (t) => [
    index("print_jobs_created").on(t.created_at, t.id),
    index("print_jobs_due").on(t.due_at).where(where("due_at is not null")),
    index("print_jobs_printer").on(t.printer_id, t.id),
    index("print_jobs_order").on(t.order_id).where(where("order_id is not null")),
    index("print_jobs_failed").on(t.updated_at, t.id).where(where("status = 'failed'")),
    oneOf("print_jobs", "status", printJobStatuses),
    check("print_jobs_due", "(status in ('queued', 'sending')) = (due_at is not null)"),
  ],
);

/** Cartons that goods are packed in. */
export const cartons = table(
  "cartons",
  {
    id: id(),
    code: text().notNull(),
    name: text(),
    /** The size and the weights as the client sent them, with their units. The columns below follow from them. */
    described: json<CartonDescription>().notNull(),
    /** The inner size, rounded down. */
    length_mm: int().notNull(),
    width_mm: int().notNull(),
    height_mm: int().notNull(),
    /** The weight of the empty carton, rounded up. */
    tare_grams: int().notNull(),
    /** The most that it can hold, rounded down; null for any weight. */
    max_weight_grams: int(),
    cost_cents: int(),
    currency: text(),
    active: bool().notNull().default(true),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    unique("cartons_code").on(folded(t.code)),
    check("cartons_size", "length_mm > 0 and width_mm > 0 and height_mm > 0 and tare_grams >= 0"),
    check("cartons_cost", "(cost_cents is null) = (currency is null)"),
  ],
);

/** The carton that was last used for the same goods. */
export const carton_choices = table(
  "carton_choices",
  {
    merchant_id: owner(),
    /** The products and quantities, as one text. */
    goods: text().notNull(),
    carton_id: int()
      .notNull()
      .references(() => cartons.id),
    chosen_at: time().notNull(),
  },
  (t) => [primaryKey({ columns: [t.merchant_id, t.goods] }), index("carton_choices_carton").on(t.carton_id)],
);

/** Parcels that are being packed. An order has one at a time. */
export const packing_sessions = table(
  "packing_sessions",
  {
    id: id(),
    merchant_id: sameOwner(),
    order_id: order(),
    warehouse_id: warehouse(),
    /** The station, which may have been deleted since. */
    station_id: int(),
    status: text().$type<PackingStatus>().notNull(),
    /** The scanned units. */
    units: json<{ line_id: number; product_id: number; lot_number: string | null; quantity: number }[]>().notNull(),
    carton_id: int().references(() => cartons.id),
    /** The typed weight, as decimal text, and why it differs from the calculated one. */
    weight: text(),
    weight_unit: text().$type<WeightUnit>(),
    weight_reason: text(),
    /** The service that a person chose for the label; null for that of the order. */
    carrier: text(),
    service: text(),
    /** The parcel and its label, once the label is requested; for pickup, the parcel once it is closed. */
    shipment_id: int(),
    label_id: int(),
    /** When the label is bought by the job, or the end of a server's claim to buy it; null when finished. */
    label_due_at: time(),
    /** Why no label was requested. */
    label_error: text(),
    device: text().notNull(),
    ...actor(),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    closed_at: time(),
  },
  (t) => [
    unique("packing_sessions_open").on(t.order_id).where(where("status = 'open'")),
    index("packing_sessions_order").on(t.order_id),
    index("packing_sessions_created").on(t.created_at, t.id),
    index("packing_sessions_unlabelled").on(t.closed_at, t.id).where(where("label_error is not null")),
    index("packing_sessions_label_due").on(t.label_due_at).where(where("label_due_at is not null")),
    oneOf("packing_sessions", "status", packingStatuses),
    oneOf("packing_sessions", "weight_unit", weightUnits),
    check("packing_sessions_weight", "(weight is null) = (weight_unit is null)"),
    check("packing_sessions_label", "status = 'closed' or label_due_at is null"),
  ],
);
