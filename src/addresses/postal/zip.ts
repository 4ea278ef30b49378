/** A ZIP code of the United States, its city as GeoNames calls it, and the two letters of its state. */
export interface ZipPlace {
  readonly zip: number;
  readonly city: string;
  readonly state: string;
}

/** As the file has it, with where it lies in thousandths of a degree. */
export interface ZipLine extends ZipPlace {
  readonly latitude_e3: number;
  readonly longitude_e3: number;
}
