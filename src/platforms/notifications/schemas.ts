import { Type } from "@sinclair/typebox";
import { choice, closed, nullable, textField } from "../../kit/schema.ts";

const open = { additionalProperties: true };

/** A notification in the form of the specification. Other fields that a platform sends are ignored. */
export const ThinNotification = Type.Object(
  {
    scope: textField(200, { description: "What happened, such as `store/order/created`." }),
    store_id: textField(200),
    data: Type.Object(
      { type: textField(100, { min: 0 }), id: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) },
      open,
    ),
    hash: textField(200, { description: "Equal for repeats of one notification." }),
    created_at: Type.Integer({ minimum: 0, maximum: 253_402_300_799, description: "Unix seconds." }),
    producer: textField(200, { description: "`stores/` and the store hash." }),
  },
  open,
);

/** Whatever a platform sends; its connector reads it. */
export const AnyNotification = Type.Object({}, { ...open, description: "The platform's order, as it sends it." });

export const NotificationView = closed({
  success: Type.Literal(true),
  order_id: nullable(
    Type.String({ description: "The order's id here, which does not change. The order itself is created later." }),
  ),
  status: choice(["processing", "ignored"]),
  estimated_ship_date: nullable(Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" })),
});
