import { bigcommerce } from "./bigcommerce.ts";
import type { PlatformConnectors } from "./connector.ts";
import { shopify } from "./shopify.ts";
import { woocommerce } from "./woocommerce.ts";

/** The connectors, by platform. This table is separate so that connectors do not import each other. */
export const connectors: PlatformConnectors = { bigcommerce, shopify, woocommerce };
