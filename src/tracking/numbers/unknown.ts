import { Fault } from "../../kit/fault.ts";
import { detectCarriers } from "./formats.ts";

/** The refusal for an unknown number, with the carriers that it may belong to: all that fit, never a guess. */
export function unknownNumber(tracking_number: string): Fault {
  const detected_carriers = detectCarriers(tracking_number);
  const names = [...new Set(detected_carriers.map(({ carrier }) => carrier))].join(" or ");
  const advice = names === "" ? "" : ` It looks like a number of ${names}: POST /v1/tracking starts to track it.`;
  return new Fault("resource_missing", `No such tracking number: ${tracking_number}.${advice}`, {
    resource: "tracking number",
    detected_carriers,
  });
}
