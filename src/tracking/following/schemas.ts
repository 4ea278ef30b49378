import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, nullable, textField } from "../../kit/schema.ts";
import { sheetFields } from "../../kit/sheet.ts";
import { ofMerchant } from "../../owners/schemas.ts";
import { trackingStatuses } from "../../shipping/updates/status.ts";

/** An identifier: an integer, or a text such as `ord_1042`. */
const name = (description: string) =>
  Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)], { description });

export const FollowNumber = closed({
  ...ofMerchant,
  tracking_number: textField(100),
  carrier: Type.Optional(
    nullable(
      textField(100, {
        description: "In small letters, such as `usps`. By default it is detected by" + " the number.",
      }),
    ),
  ),
  account_id: Type.Optional(
    nullable(name("The carrier account that reports on it. By default one that sells for the carrier.")),
  ),
  order_id: Type.Optional(nullable(name("The order whose history and tracking page show it."))),
});
export type FollowNumber = Static<typeof FollowNumber>;

const filters = {
  status: Type.Optional(choice(trackingStatuses)),
  carrier: Type.Optional(textField(100)),
  order_id: Type.Optional(textField(100, { description: "The order's id or its order number." })),
  followed: Type.Optional(
    Type.Boolean({ description: "True: numbers tracked on request that are no order's parcel. False: all others." }),
  ),
};

export const ListTracked = closed({ ...pageFields, ...filters });
export type ListTracked = Static<typeof ListTracked>;

export const ExportTracked = closed({ ...filters, ...sheetFields });
export type ExportTracked = Static<typeof ExportTracked>;
