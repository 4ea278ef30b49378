// Stands alone so that connectors do not import each other.
import { bigcommerce } from "./bigcommerce.ts";
import type { PlatformConnectors } from "./connector.ts";
import { shopify } from "./shopify.ts";
import { woocommerce } from "./woocommerce.ts";

/** The connectors, by platform. */
export const connectors: PlatformConnectors = { bigcommerce, shopify, woocommerce };
