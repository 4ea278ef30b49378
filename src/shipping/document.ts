export const documentKinds = ["label", "customs", "other"] as const;
export type DocumentKind = (typeof documentKinds)[number];

export const documentTypes = ["application/pdf", "image/png", "application/zpl"] as const;
export type DocumentType = (typeof documentTypes)[number];

/** A document of a purchase as it is stored and served: bytes with a type, whoever made it. */
export interface CarrierDocument {
  readonly kind: DocumentKind;
  readonly content_type: DocumentType;
  readonly bytes: Uint8Array;
}
