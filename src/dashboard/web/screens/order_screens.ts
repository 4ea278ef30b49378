import type { Screen } from "../kit/screen.ts";
import { titles } from "../texts/navigation.ts";

/** The list and the board of orders. */
export const orderListScreens: readonly Screen[] = [
  {
    path: "/orders",
    section: "orders",
    title: titles.orders,
    permission: "orders.read",
    listed: "nav",
    key: "o",
    load: () => import("./order_list/screen.tsx").then((it) => it.OrdersScreen),
  },
  {
    path: "/orders/board",
    section: "orders",
    title: titles.board,
    permission: "orders.read",
    listed: "nav",
    key: "d",
    load: () => import("./order_board/screen.tsx").then((it) => it.BoardScreen),
  },
];
