import { Type } from "@sinclair/typebox";
import { closed } from "../../kit/schema.ts";

/** What a carrier sends has no shape of ours: the connector reads it. */
export const AnyCallback = Type.Object(
  {},
  { additionalProperties: true, description: "As the carrier sends it. The signature is over its bytes." },
);

export const CallbackView = closed({
  success: Type.Literal(true),
  repeated: Type.Boolean({ description: "It was taken before, and nothing was done." }),
  recorded: Type.Integer({ description: "So many parcels it told of that are known here." }),
  waiting: Type.Integer({
    description: "How many updates are of tracking numbers not known here yet. They are kept until one is.",
  }),
});
