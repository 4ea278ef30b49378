// The check digits of carriers' numbers. Each function takes the characters before the check character and answers
// it.

/** Computes the check character of digits, or of digits and capital letters where the rule allows them. */
export type CheckRule = (body: string) => string;

const digitsOf = (body: string) => [...body].map(Number);

/** The sum of the digits, each times its weight; the weights repeat. */
function weighted(digits: readonly number[], weights: readonly number[]): number {
  return digits.reduce((sum, digit, at) => sum + digit * (weights[at % weights.length] ?? 0), 0);
}

const toTen = (sum: number) => String((10 - (sum % 10)) % 10);

/** GS1: weights 3 and 1 from the right. */
export const gs1: CheckRule = (body) => toTen(weighted(digitsOf(body).toReversed(), [3, 1]));

/** UPS and OnTrac: weights 1 and 2 from the left. A letter counts as the last digit of its ASCII code less 3. */
export const alternating: CheckRule = (body) => {
  const values = [...body].map((sign) => (/\d/.test(sign) ? Number(sign) : (sign.charCodeAt(0) - 3) % 10));
  return toTen(weighted(values, [1, 2]));
};

/** The international parcels of the post. */
export const s10: CheckRule = (body) => {
  const rest = 11 - (weighted(digitsOf(body), [8, 6, 4, 2, 3, 5, 9, 7]) % 11);
  return rest === 10 ? "0" : rest === 11 ? "5" : String(rest);
};

const elevens =
  (weights: readonly number[]): CheckRule =>
  (body) =>
    String((weighted(digitsOf(body), weights) % 11) % 10);

/** FedEx's short numbers. */
export const fedexShort = elevens([3, 1, 7]);

/** FedEx's long numbers. */
export const fedexLong = elevens([1, 7, 3]);

/** DHL: the remainder of the number divided by seven. */
export const sevens: CheckRule = (body) => String(Number(body) % 7);

/** Luhn: from the right every other digit is doubled and replaced by the sum of its digits. */
export const luhn: CheckRule = (body) => {
  const sum = digitsOf(body)
    .toReversed()
    .map((digit, at) => (at % 2 === 1 ? digit : digit < 5 ? digit * 2 : digit * 2 - 9))
    .reduce((total, digit) => total + digit, 0);
  return toTen(sum);
};
