import { type Static, Type } from "@sinclair/typebox";
import { closed, nullable } from "../../kit/schema.ts";
import { merchantName } from "../../owners/schemas.ts";

export const ChooseMembership = closed({
  merchant: nullable(merchantName("A merchant of which you are a member, by id or code; null for the house.")),
});
export type ChooseMembership = Static<typeof ChooseMembership>;

export const JoinMembership = closed({
  token: Type.String({ minLength: 1, maxLength: 100, description: "The part of the invitation's link after #." }),
});
export type JoinMembership = Static<typeof JoinMembership>;

export const ViewAs = closed({ merchant_id: merchantName("The merchant, by id or code.") });
export type ViewAs = Static<typeof ViewAs>;
