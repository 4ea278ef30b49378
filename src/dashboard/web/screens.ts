// Every screen of the dashboard. Literal paths stand before those with a parameter.
import type { Screen, Section } from "./screen.ts";
import { titles } from "./texts/navigation.ts";

/** The navigation, in its order. */
export const sections: readonly Section[] = [
  { id: "today", title: titles.today, icon: "home", phone: true },
  { id: "orders", title: titles.orders, icon: "cart", phone: true },
  { id: "stock", title: titles.stock, icon: "boxes", phone: true },
  { id: "products", title: titles.products, icon: "tag", phone: true },
  { id: "customers", title: titles.customers, icon: "customers" },
  { id: "returns", title: titles.returns, icon: "return" },
  { id: "shipping", title: titles.shipping, icon: "truck" },
  { id: "reports", title: titles.reports, icon: "chart" },
  { id: "settings", title: titles.settings, icon: "settings", foot: true },
];

/** All screens; the first whose path fits is shown. */
export const screens: readonly Screen[] = [
  {
    path: "/sign-in",
    section: "",
    title: titles.signIn,
    permission: null,
    listed: "no",
    open: true,
    load: () => import("./screens/sign_in/screen.tsx").then((it) => it.SignInScreen),
  },

  {
    path: "/products",
    section: "products",
    title: titles.products,
    permission: "catalog.read",
    listed: "nav",
    key: "p",
    load: () => import("./screens/products/list.tsx").then((it) => it.ProductsScreen),
  },
  {
    path: "/products/new",
    section: "products",
    title: titles.newProduct,
    permission: "catalog.write",
    listed: "palette",
    load: () => import("./screens/products/edit.tsx").then((it) => it.NewProductScreen),
  },
  {
    path: "/products/:id",
    section: "products",
    title: titles.product,
    permission: "catalog.read",
    listed: "no",
    load: () => import("./screens/products/page.tsx").then((it) => it.ProductScreen),
  },
  {
    path: "/products/:id/change",
    section: "products",
    title: titles.changeProduct,
    permission: "catalog.write",
    listed: "no",
    load: () => import("./screens/products/edit.tsx").then((it) => it.ChangeProductScreen),
  },
];
