import type { Column } from "../../kit/sheet.ts";

/** The columns of a file of a card's prices. */
export const priceColumns: readonly Column[] = [
  {
    name: "zone",
    path: ["zone"],
    kind: "text",
    meaning: "A zone of the card; `*` for every zone without rows of its own.",
    example: "5",
  },
  {
    name: "up_to_pounds",
    path: ["up_to_pounds"],
    kind: "number",
    empty: null,
    meaning: "The heaviest parcel of this row; empty for the price of each pound beyond the last row.",
    example: "10",
  },
  {
    name: "price",
    path: ["price"],
    kind: "amount",
    meaning: "What is charged, with at most two decimals.",
    example: "12.50",
  },
  {
    name: "cost",
    path: ["cost"],
    kind: "amount",
    meaning: "What the carrier takes; the price when it is empty.",
    example: "9.80",
  },
];

export const requiredPriceColumns = ["zone", "price"] as const;
