// What buyers see of a merchant, on tracking pages and packing slips.
import { isoOrNull } from "../../core/clock.ts";
import { textColorOn } from "../../core/colors.ts";
import { invalid } from "../../core/faults.ts";
import { wireId, wireIdOrNull } from "../../core/ids.ts";
import type { UpdateBranding } from "./branding.schema.ts";

/** The branding of a merchant. Fields that are null are left out where buyers see it. */
export interface Branding {
  readonly merchant_id: number;
  readonly logo_file_id: number | null;
  /** Such as `#1f6feb`. */
  readonly accent_color: string | null;
  /** The name for buyers; null for the sender's name on parcels. */
  readonly display_name: string | null;
  readonly support_email: string | null;
  readonly support_phone: string | null;
  readonly website: string | null;
  readonly message: string | null;
  /** 0 until it is first edited. */
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The branding of a merchant that has not edited it. */
export const plainBranding = (merchant_id: number): Branding => ({
  merchant_id,
  logo_file_id: null,
  accent_color: null,
  display_name: null,
  support_email: null,
  support_phone: null,
  website: null,
  message: null,
  revision: 0,
  created_at: 0,
  updated_at: 0,
});

/** The fields that a request changes, except the logo. Refuses: validation_failed. */
export function readBranding(input: UpdateBranding): Partial<Branding> {
  const { logo_file_id: _, accent_color, website, ...texts } = input;
  return {
    ...texts,
    ...(accent_color !== undefined && { accent_color: accent_color?.toLowerCase() ?? null }),
    ...(website !== undefined && { website: website === null ? null : readWebsite(website) }),
  };
}

function readWebsite(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return url.href;
  throw invalid("website", "must be a URL such as https://www.example.com", "invalid_format");
}

/** The branding as the API shows it, with a link to its logo. */
export function brandingView(branding: Branding, logo_url: string | null) {
  const { merchant_id, logo_file_id, accent_color, revision, created_at: _, updated_at, ...texts } = branding;
  return {
    merchant_id: wireId("merchant", merchant_id),
    logo_file_id: wireIdOrNull("file", logo_file_id),
    logo_url,
    accent_color,
    accent_text_color: accent_color === null ? null : textColorOn(accent_color),
    ...texts,
    revision,
    updated_at: isoOrNull(revision === 0 ? null : updated_at),
  };
}
