import { Type } from "@sinclair/typebox";
import { roles } from "../access/role.ts";
import { choice, closed, nullable } from "../kit/schema.ts";
import { merchantName } from "../owners/schemas.ts";
import { covers, userStatuses } from "./status.ts";

/** The membership that a request is about: at a merchant, or that of the house. */
export const memberOf = Type.Optional(
  nullable(
    merchantName(
      "The merchant, by id or code; null for the house. A merchant's people leave it out: it is always their own.",
    ),
  ),
);

const brief = {
  id: Type.String(),
  code: Type.String(),
  name: Type.String(),
  colour: nullable(Type.String()),
};

export const MerchantBriefView = closed(brief);

export const MembershipView = closed({
  covers: choice(covers),
  merchant_id: nullable(Type.String({ description: "The merchant, such as `mer_2`; null for the house." })),
  merchant: nullable(MerchantBriefView),
  role: choice(roles),
  status: choice(userStatuses, { description: "Of this membership alone." }),
});

/** As whom a user acts. */
export const actingFields = {
  current: MembershipView,
  merchant: nullable(
    closed({
      ...brief,
      status: Type.String({ description: "`active`, or `suspended`: its people then read and create orders alone." }),
      may_buy_labels: Type.Boolean(),
    }),
  ),
  view_as: nullable(MerchantBriefView),
};
