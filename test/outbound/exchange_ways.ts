// The ways to talk over a connection, which are all to be as careful as the others.
import { exchangeByNode } from "../../src/outbound/node_exchange.ts";
import { quickestExchange } from "../../src/outbound/outbound.ts";

/** With the parser alone, and by node:http, as where the parser cannot be had. */
export const ways = [
  ["by the parser alone", quickestExchange(process)],
  ["by node:http", exchangeByNode],
] as const;
