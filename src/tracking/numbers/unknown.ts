import { Fault } from "../../kit/fault.ts";
import { detectCarriers, type WrongCheckDigit, wrongCheckDigits } from "./formats.ts";

/** What the form of a number tells: the carriers it may belong to, or why it fits none. */
export function formOf(tracking_number: string, named: string | null) {
  const wrong = wrongCheckDigits(tracking_number, named);
  return {
    detected_carriers: detectCarriers(tracking_number),
    wrong_check_digits: wrong.map((one) => ({ ...one, message: `${expectation(one)}. Check the number.` })),
  };
}

const expectation = ({ format, check_digit, expected }: WrongCheckDigit) =>
  `The check digit must be ${expected} for ${format} (got ${check_digit})`;

/** The refusal for an unknown number, with the carriers that it may belong to: all that fit, never a guess. */
export function unknownNumber(tracking_number: string): Fault {
  const form = formOf(tracking_number, null);
  const names = [...new Set(form.detected_carriers.map(({ carrier }) => carrier))].join(" or ");
  const [wrong] = form.wrong_check_digits;
  const advice =
    names !== ""
      ? ` It looks like a number of ${names}: POST /v1/tracking starts to track it.`
      : wrong === undefined
        ? ""
        : ` ${wrong.message}`;
  return new Fault("resource_missing", `No such tracking number: ${tracking_number}.${advice}`, {
    resource: "tracking number",
    ...form,
  });
}
