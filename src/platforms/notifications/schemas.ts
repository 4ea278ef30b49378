import { Type } from "@sinclair/typebox";
import { choice, closed, nullable } from "../../kit/schema.ts";

const open = { additionalProperties: true };

/** A notification in the form that the specification gives. What else a platform sends with it is passed over. */
export const ThinNotification = Type.Object(
  {
    scope: Type.String({ minLength: 1, maxLength: 200, description: "What happened, such as `store/order/created`." }),
    store_id: Type.String({ minLength: 1, maxLength: 200 }),
    data: Type.Object({ type: Type.String({ maxLength: 100 }), id: Type.Integer({ minimum: 0 }) }, open),
    hash: Type.String({ minLength: 1, maxLength: 200, description: "Equal for repeats of one notification." }),
    created_at: Type.Integer({ minimum: 0, description: "Unix seconds." }),
    producer: Type.String({ minLength: 1, maxLength: 200, description: "`stores/` and the store hash." }),
  },
  open,
);

/** Whatever a platform sends; its connector reads it. */
export const AnyNotification = Type.Object({}, { ...open, description: "The platform's order, as it sends it." });

export const NotificationView = closed({
  success: Type.Literal(true),
  order_id: nullable(
    Type.String({ description: "The order's id here, which it keeps; the order itself comes later." }),
  ),
  status: choice(["processing", "ignored"]),
  estimated_ship_date: nullable(Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" })),
});
