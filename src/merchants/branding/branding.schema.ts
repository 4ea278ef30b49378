import { type Static, Type } from "@sinclair/typebox";
import {
  closed,
  emailField,
  idField,
  nameField,
  notesField,
  nullable,
  textField,
  timestamp,
} from "../../core/schema.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";

const texts = {
  logo_file_id: "The file of its logo, uploaded with the kind `logo`; null for none.",
  accent_color: "The color of the top of the tracking page, such as `#1f6feb`; null for none.",
  display_name: "The name that buyers see; null for that on parcels.",
  support_email: "Where buyers can write; null to show none.",
  support_phone: "Where buyers can call; null to show none.",
  website: "The shop's address on the web; null to show none.",
  message: "A few words to buyers, in plain text; null for none.",
};

const color = Type.String({
  pattern: "^#[0-9a-fA-F]{6}$",
  hint: "must be a color such as #1f6feb",
  description: texts.accent_color,
});

/** The fields of branding that a client may change. */
export const UpdateBranding = closed(
  {
    logo_file_id: Type.Optional(nullable(idField("file", texts.logo_file_id))),
    accent_color: Type.Optional(nullable(color)),
    display_name: Type.Optional(nullable(nameField(120, { description: texts.display_name }))),
    support_email: Type.Optional(nullable({ ...emailField(), description: texts.support_email })),
    support_phone: Type.Optional(nullable(textField(40, { description: texts.support_phone }))),
    website: Type.Optional(nullable(textField(300, { description: texts.website }))),
    message: Type.Optional(nullable({ ...notesField(500), description: texts.message })),
  },
  ["merchant_id", "logo_url", "accent_text_color", "revision", "updated_at"],
);
export type UpdateBranding = Static<typeof UpdateBranding>;

export const BrandingView = closed({
  merchant_id: OwnerView,
  logo_file_id: nullable(Type.String({ description: texts.logo_file_id })),
  logo_url: nullable(Type.String({ description: "A link to the logo that needs no key, for at least 7 days." })),
  accent_color: nullable(Type.String({ description: texts.accent_color })),
  accent_text_color: nullable(
    Type.String({ description: "The color of text on the accent color: black or white, whichever is easier to read." }),
  ),
  display_name: nullable(Type.String({ description: texts.display_name })),
  support_email: nullable(Type.String({ description: texts.support_email })),
  support_phone: nullable(Type.String({ description: texts.support_phone })),
  website: nullable(Type.String({ description: texts.website })),
  message: nullable(Type.String({ description: texts.message })),
  revision: Type.Integer({ description: "Counts the changes to the branding; 0 before the first." }),
  updated_at: nullable(timestamp("When it last changed; null if it never did.")),
});
