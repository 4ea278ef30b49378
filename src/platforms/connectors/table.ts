import { bigcommerce } from "./bigcommerce.ts";
import type { Connectors } from "./connector.ts";
import { shopify } from "./shopify.ts";
import { woocommerce } from "./woocommerce.ts";

/** The connector of each platform. */
export const connectors: Connectors = { bigcommerce, shopify, woocommerce };
