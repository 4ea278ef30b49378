/** The words of the reports. */
export const reportTexts = {
  intro: "Figures of the house, worked out of its records when you ask. Each says what exactly it counts.",
  export: "Save as CSV",
  definition: "What it counts",
  figures: "Figures",
  from: "From",
  to: "To",
  groupBy: "Rows",
  groupings: { hour: "Hours", day: "Days", week: "Weeks", month: "Months" },
  presets: {
    "7": "Last 7 days",
    "30": "Last 30 days",
    "90": "Last 90 days",
    month: "This month",
    last_month: "Last month",
    year: "This year",
  },
  preset: "Period",
  ownPeriod: "Own period",
  noRows: "Nothing to count in these days",
  noRowsText: "Choose other days, or come back once there is something.",
  noStock: "Nothing is on hand",
  noStockText: "Once stock has been received, this tells how long it has been here.",
  zone: (zone: string) => `Days as the clock of ${zone} counts them.`,
  firstRows: (shown: number, all: number) => `The first ${shown} of ${all} rows; the file has all of them.`,
  total: "Total",
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
    carrier_cost: "Carrier takes",
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
    oldest_days: "Oldest, days",
    average_days: "Mean age, days",
    opening_units: "At the start",
    closing_units: "At the end",
    average_units: "Mean",
    turns: "Turns",
    annual_turns: "Turns a year",
    days_on_hand: "Days on hand",
    orders_filled: "Filled orders",
    order_fill_rate: "Order fill rate",
    lines: "Lines",
    lines_filled: "Filled lines",
    line_fill_rate: "Line fill rate",
    units_at_first: "Units at first",
    unit_fill_rate: "Unit fill rate",
  },
  reports: {
    orders: {
      title: "Orders",
      sentence: "How many orders came, day by day, and what became of them.",
      definition:
        "An order counts on the day on which it was made, in the state that it has now. A held order counts as on" +
        " hold and nothing else. Orders of the past that were brought in count on the day on which they were made.",
    },
    "on-time": {
      title: "On-time shipping",
      sentence: "The share of orders that left on the day on which they were to leave.",
      definition:
        "An order is to leave on the working day of its warehouse on which it came, or on the next one when it came" +
        " after the cut-off or on no working day. It left on time when its last parcel was handed over by the end of" +
        " that day. Holds and missing stock excuse nothing. Cancelled orders and orders of the past are left out.",
    },
    "units-picked": {
      title: "Units picked",
      sentence: "How many units were picked, and how many an hour.",
      definition:
        "A unit counts when it is moved from its bin to the staging of its order. Picks that an action took for" +
        " granted count too, under “not scanned”. Units per hour are the units by the hours of the clock in which" +
        " anything was picked: hours of the house, since nobody tells how many people worked.",
    },
    "carrier-cost": {
      title: "Carrier cost",
      sentence: "What labels cost, by carrier.",
      definition:
        "A label counts on the day on which it was asked for. “Charged” is what was charged for valid labels," +
        " “carrier takes” what the carrier takes for them. A label that was voided since costs nothing.",
    },
    sales: {
      title: "Sales by SKU",
      sentence: "What was sold, in units and in money.",
      definition:
        "Lines of the orders that were made in these days, less what was cancelled since. Revenue is what the units" +
        " sold cost by the prices of their lines, less their discounts; shipping and refunds are not in it. A bundle" +
        " counts as what it was sold as.",
    },
    "stock-ageing": {
      title: "Stock ageing",
      sentence: "How long what is on hand has been in the house.",
      definition:
        "All units on hand now, promised or not. Those of a lot count from the day on which the lot was received, all" +
        " others from when the first unit came to their bin.",
    },
    "stock-turns": {
      title: "Stock turns",
      sentence: "How often stock was sold and replaced.",
      definition:
        "Inventory turnover in units: what left to customers in these days, by the mean of what was on hand when the" +
        " first began and the last ended. Turns a year is what 365 such days would make, days on hand is for how" +
        " long the mean stock lasts at that pace.",
    },
    "fill-rate": {
      title: "Fill rate",
      sentence: "How much of what was ordered left whole at first.",
      definition:
        "Of the orders that came in these days and of which anything has left: the lines whose units all left on the" +
        " day of the order's first parcel. By orders (every line whole), by lines and by units. Cancelled units" +
        " count for nothing.",
    },
  },
} as const;
export type ReportName = keyof typeof reportTexts.reports;
