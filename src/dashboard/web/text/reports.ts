export const reportTexts = {
  intro: "Calculated from your records when you open a report. Each report explains what it counts.",
  export: "Export as CSV",
  definition: "How it's calculated",
  figures: "Figures",
  from: "From",
  groupBy: "Group by",
  groupings: { hour: "Hour", day: "Day", week: "Week", month: "Month" },
  presets: {
    "7": "Last 7 days",
    "30": "Last 30 days",
    "90": "Last 90 days",
    month: "This month",
    last_month: "Last month",
    year: "This year",
  },
  preset: "Period",
  customPeriod: "Custom",
  noRows: "No data in this period",
  noRowsText: "Choose another period.",
  noStock: "No stock on hand",
  noStockText: "Receive stock to see its age here.",
  zone: (zone: string) => `Time zone: ${zone}.`,
  firstRows: (shown: number, all: number) =>
    `Showing the first ${shown} of ${all} rows. Download the CSV for all rows.`,
  columns: {
    from: "From",
    to: "To",
    date: "Day",
    week: "Week",
    month: "Month",
    hour: "Hour",
    sku: "SKU",
    name: "Name",
    carrier: "Carrier",
    currency: "Currency",
    total: "Orders",
    due: "Due",
    on_time: "On time",
    late: "Late",
    open: "Open",
    on_time_share: "On-time share",
    units: "Units",
    picks: "Picks",
    assumed_units: "Not scanned",
    active_hours: "Hours",
    units_per_hour: "Units per hour",
    label_count: "Labels",
    cost: "Charged",
    carrier_cost: "Carrier cost",
    voided_count: "Voided",
    orders: "Orders",
    units_ordered: "Ordered",
    units_cancelled: "Cancelled",
    units_sold: "Sold",
    units_shipped: "Shipped",
    units_returned: "Returned",
    revenue: "Revenue",
    on_hand: "On hand",
    days_0_30: "0–30 days",
    days_31_60: "31–60",
    days_61_90: "61–90",
    days_91_180: "91–180",
    days_181_365: "181–365",
    days_over_365: "Over 365",
    oldest_days: "Oldest (days)",
    average_days: "Average age (days)",
    opening_units: "Opening",
    closing_units: "Closing",
    average_units: "Average",
    turns: "Turns",
    annual_turns: "Turns per year",
    days_on_hand: "Days on hand",
    orders_filled: "Filled orders",
    order_fill_rate: "Order fill rate",
    lines: "Lines",
    lines_filled: "Filled lines",
    line_fill_rate: "Line fill rate",
    units_at_first: "Shipped on first attempt",
    unit_fill_rate: "Unit fill rate",
  },
  reports: {
    orders: {
      title: "Orders",
      sentence: "Orders by creation date, with their current status.",
      definition:
        "An order counts on the day it was created, in its current status. An order on hold counts only as on hold." +
        " Imported past orders count on the day they were placed.",
    },
    on_time: {
      title: "On-time shipping",
      sentence: "The share of orders shipped on the day they were due.",
      definition:
        "An order is due on its warehouse's working day on which it was created. An order created after the cut-off" +
        " or on a day off is due on the next working day. It is on time if its last parcel is handed over by the end" +
        " of that day. Holds and missing stock don't change the due date. Cancelled orders and imported past orders" +
        " are excluded.",
    },
    units_picked: {
      title: "Units picked",
      sentence: "Units picked, in total and per hour.",
      definition:
        "A unit counts when it moves from its bin to its order's staging bin. Picks that were not scanned but assumed" +
        " by a later step count too, as “not scanned”. Only clock hours with picks count as hours. The number of" +
        " pickers is not taken into account.",
    },
    carrier_cost: {
      title: "Carrier cost",
      sentence: "Label costs by carrier and day.",
      definition:
        "A label counts on the day it was requested. “Charged” is the price of valid labels; “carrier cost” is what" +
        " the carrier bills for them. Voided labels cost nothing.",
    },
    sales: {
      title: "Sales by SKU",
      sentence: "Units sold and revenue by SKU.",
      definition:
        "Lines of orders created in this period, less cancelled units. Revenue is the price of the units sold less" +
        " discounts, excluding shipping and refunds. A bundle counts as one product.",
    },
    stock_ageing: {
      title: "Stock aging",
      sentence: "How long the stock on hand has been in the warehouse.",
      definition:
        "All units on hand now, reserved or not. Units of a lot age from the day the lot was received; other units" +
        " age from the day the first unit arrived in their bin.",
    },
    stock_turns: {
      title: "Stock turns",
      sentence: "How often stock was sold and replaced.",
      definition:
        "Inventory turnover in units: units shipped to customers in this period, divided by the average of the" +
        " opening and closing stock. Turns per year scales this to 365 days. Days on hand is how long the average" +
        " stock lasts at that rate.",
    },
    fill_rate: {
      title: "Fill rate",
      sentence: "The share of orders, lines and units shipped complete on the first shipment.",
      definition:
        "Counts orders created in this period with at least one shipped unit. A line is filled if all its units" +
        " shipped on the day of the order's first parcel; an order is filled if all its lines are. Cancelled units" +
        " are excluded.",
    },
  },
} as const;
export type ReportName = keyof typeof reportTexts.reports;
