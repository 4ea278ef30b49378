import type { Mode } from "../../kit/mode.ts";
import type { OutsideCarrier, OwnCarrier } from "./connector.ts";
import { easypost } from "./easypost.ts";
import { karrio } from "./karrio.ts";
import { builtInConnector } from "./local.ts";
import { shippo } from "./shippo.ts";

/** The connectors that call outside servers, by the name that an account is made with. */
export const outsideCarriers: Readonly<Record<string, OutsideCarrier>> = { easypost, karrio, shippo };

const ownCarriers: Readonly<Record<Mode, OwnCarrier>> = {
  live: builtInConnector("live"),
  test: builtInConnector("test"),
};

/** The carrier that every installation has. */
export function ownCarrier(mode: Mode): OwnCarrier {
  return ownCarriers[mode];
}
