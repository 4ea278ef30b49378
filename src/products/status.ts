export const productStatuses = ["active", "inactive"] as const;
export type ProductStatus = (typeof productStatuses)[number];
/** The status of a product that can be ordered. */
export const orderable = "active" satisfies ProductStatus;

/** A new product can be sold unless the request says otherwise. */
export const productStarts: ProductStatus = "active";

/** A product that was only named by an imported order cannot be sold until somebody completes it. */
export const importedProductStarts: ProductStatus = "inactive";

/** Whether a product can be sold. */
export function isSold(status: ProductStatus): boolean {
  return status === "active";
}

export const productTypes = ["simple", "bundle"] as const;
export type ProductType = (typeof productTypes)[number];

/** Temperature zones from the warmest to the coldest. */
export const temperatureZones = ["ambient", "refrigerated", "frozen"] as const;
export type TemperatureZone = (typeof temperatureZones)[number];

export const lengthUnits = ["in", "cm"] as const;
export type LengthUnit = (typeof lengthUnits)[number];

export const barcodeTypes = ["gtin", "ean", "upc", "code128", "other"] as const;
export type BarcodeType = (typeof barcodeTypes)[number];
