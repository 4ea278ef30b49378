import type { Connectors } from "../platform.ts";
import { bigcommerce } from "./bigcommerce.ts";
import { shopify } from "./shopify.ts";
import { woocommerce } from "./woocommerce.ts";

/** The connector of each platform. */
export const connectors: Connectors = { bigcommerce, shopify, woocommerce };
