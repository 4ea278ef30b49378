import type { LabelFacts } from "../../../src/shipping/labels/draw_label.ts";

/** A typical label, which tests modify. */
export const facts: LabelFacts = {
  carrier: "Packhouse Courier",
  service: "Standard",
  sender: {
    name: "Shipping Desk",
    company: "Cold Harbor Foods",
    address_line1: "1200 Wharf Road",
    address_line2: "Dock 4",
    city: "Brooklyn",
    state: "NY",
    postal_code: "11231",
    country: "US",
  },
  recipient: {
    name: "Jordan Avery",
    company: "Corner Deli",
    address_line1: "450 Canyon Drive",
    address_line2: "Suite 12",
    city: "Beverly Hills",
    state: "CA",
    postal_code: "90210",
    country: "US",
  },
  weight: "12.5 lb",
  parcel: "1 of 2",
  tracking_number: "WH000000000001Q",
  qr_text: "https://ship.example.com/track/WH000000000001Q",
  order_number: "ORD-2026-00017",
  date: "2026-11-20",
  test: false,
};
