// The implementations of an HTTP exchange, which must all be equally strict.
import { exchangeByNode } from "../../src/outbound/node_exchange.ts";
import { quickestExchange } from "../../src/outbound/outbound.ts";

/** With the parser alone, and with node:http as the fallback if the parser is not available. */
export const ways = [
  ["by the parser alone", quickestExchange(process)],
  ["by node:http", exchangeByNode],
] as const;
