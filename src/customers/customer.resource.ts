import type { FieldPath, FieldSection, ResourceFields } from "../core/resource.ts";

/** The fields of a customer that clients set, without its addresses. */
export const customerFields = {
  email: {
    kind: "email",
    description: "Unique within the merchant, in any case of letters.",
    label: "Email",
    csv: ["The email address. It identifies the customer.", "ana@example.com"],
  },
  first_name: {
    kind: "text",
    min: 0,
    max: 100,
    default: null,
    description: "The first name; null if unknown.",
    label: "First name",
    csv: ["The first name.", "Ana María"],
    width: "half",
  },
  last_name: {
    kind: "text",
    min: 0,
    max: 100,
    default: null,
    description: "The last name; null if unknown.",
    label: "Last name",
    csv: ["The last name.", "Cruz"],
    width: "half",
  },
  phone: {
    kind: "text",
    min: 0,
    max: 50,
    type: "tel",
    default: null,
    description: "The phone number; null if unknown.",
    label: "Phone",
    csv: ["The phone number.", "+1 503 555 0100"],
    width: "half",
  },
  company: {
    kind: "text",
    min: 0,
    max: 200,
    description: "The company, which new addresses get by default; null if none.",
    default: null,
    label: "Company",
    csv: ["The company. New addresses get it.", "Cruz & Sons Ltd."],
  },
  metadata: {
    kind: "metadata",
    default: {},
    csv: ["Your own data, as JSON.", '{"segment":"retail"}'],
  },
} as const satisfies ResourceFields;

/** The dashboard's form. */
export const customerSections: readonly FieldSection<FieldPath<typeof customerFields>>[] = [
  { fields: ["first_name", "last_name", "email", "phone", "company"] },
];
