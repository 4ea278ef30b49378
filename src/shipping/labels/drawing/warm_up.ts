import { drawLabel, type LabelFacts } from "./face.ts";

/** Loads the fonts of labels, so that the first drawing does not wait for them. */
export function warmUpLabels(): void {
  const place = { company: null, address_line2: null, country: "US" };
  const address = {
    ...place,
    name: "Name",
    address_line1: "1 Street",
    city: "City",
    state: "NY",
    postal_code: "10001",
  };
  const facts: LabelFacts = {
    carrier: "Carrier",
    service: "Service",
    sender: address,
    recipient: address,
    weight: "1 lb",
    parcel: "1",
    tracking_number: "WH000000000001Q",
    qr_text: null,
    order_number: "1",
    date: "2026-01-01",
    test: false,
  };
  drawLabel(facts);
}
