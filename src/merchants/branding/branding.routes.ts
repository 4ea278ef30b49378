import { fileLink } from "../../files/file_links.ts";
import type { Call } from "../../http/call.ts";
import { originOf } from "../../http/origin.ts";
import { read, routes, write } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import type { Db } from "../../storage/database.ts";
import { BrandingView, UpdateBranding } from "./branding.schema.ts";
import { type Branding, brandingView } from "./branding.ts";
import { brandingOf, editBranding, lockBranding } from "./edit_branding.ts";

/** The routes of merchants' branding. Live and test have their own. */
export const brandingRoutes = (service: Service) => {
  const shown = (db: Db, call: Call, branding: Branding) => {
    const { logo_file_id: id } = branding;
    const link = id === null ? null : fileLink({ site: service, mode: db.mode, now: db.now }, originOf(call), { id });
    return brandingView(branding, link?.url ?? null);
  };
  return routes("Merchants", [
    read("/merchants/:id/branding", "files.read", {
      id: "getBranding",
      summary: "Get a merchant's branding",
      description:
        "Returns what buyers see of the merchant on tracking pages and packing slips. Live and test data have their" +
        " own.",
      view: BrandingView,
      data: async (db, { call, params }) => shown(db, call, await brandingOf(db, params.id)),
    }),
    write("PATCH", "/merchants/:id/branding", "branding.manage", {
      id: "updateBranding",
      summary: "Update a merchant's branding",
      description:
        "Changes the fields in the request. Merchants can change their own. A replaced logo is deleted after a day.",
      body: UpdateBranding,
      view: BrandingView,
      secret_key: service.secret_key,
      matches: (tx, { params }) => lockBranding(tx, params.id),
      act: async (tx, { call, params, body }) => shown(tx, call, await editBranding(tx, params.id, body)),
    }),
  ]);
};
