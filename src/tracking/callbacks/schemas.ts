import { Type } from "@sinclair/typebox";
import { closed } from "../../kit/schema.ts";

/** Carriers' bodies differ, so the schema takes anything: the connector reads it. */
export const AnyCallback = Type.Object(
  {},
  { additionalProperties: true, description: "As the carrier sends it. The signature is over its bytes." },
);

export const CallbackView = closed({
  success: Type.Literal(true),
  repeated: Type.Boolean({ description: "It was received before, so nothing was done." }),
  recorded: Type.Integer({ description: "How many parcels known here it updated." }),
  waiting: Type.Integer({
    description: "How many updates are about tracking numbers not known here yet. They are kept until then.",
  }),
});
