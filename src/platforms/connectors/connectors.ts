import { bigcommerce } from "./bigcommerce.ts";
import type { PlatformConnectors } from "./connector.ts";
import { shopify } from "./shopify.ts";
import { woocommerce } from "./woocommerce.ts";

/** The connector of each platform. */
export const connectors: PlatformConnectors = { bigcommerce, shopify, woocommerce };
