/** The titles of the navigation and of every screen. */
export const titles = {
  today: "Today",
  orders: "Orders",
  stock: "Stock",
  products: "Products",
  product: "Product",
  newProduct: "New product",
  changeProduct: "Change a product",
  customers: "Customers",
  returns: "Returns",
  shipping: "Shipping",
  reports: "Reports",
  settings: "Settings",
  signIn: "Sign in",
} as const;
