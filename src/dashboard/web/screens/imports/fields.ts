/** The columns of a file of products, by their names in the API. */
export const productFields = [
  ...["sku", "name", "description", "type", "components", "barcodes", "weight", "weight_unit", "length", "width"],
  ...["height", "dimension_unit", "price", "currency", "temperature_zone", "lot_tracking", "expiration_tracking"],
  ...["min_shelf_life_days", "reorder_point", "hs_code", "country_of_origin", "customs_description", "status"],
  "metadata",
];

/** The columns of a file of counted stock, by their names in the API. */
export const stockFields = [
  ...["sku", "location", "bin", "lot_number", "expiration_date", "received_date", "quantity"],
];
