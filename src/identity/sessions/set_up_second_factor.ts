import { open, seal } from "../../core/crypto.ts";
import { Fault, invalid } from "../../core/faults.ts";
import type { Tx } from "../../storage/database.ts";
import { needsFactor } from "../users/user.ts";
import {
  periodOfCode,
  recovery_code_bytes,
  recovery_code_count,
  recoveryCode,
  recoveryHash,
  second_factor_purpose,
  secretText,
} from "./second_factor.ts";
import {
  deleteSecondFactor,
  findSecondFactor,
  insertPending,
  replaceCodes,
  saveConfirmed,
  takeCode,
  takePeriod,
} from "./second_factors.sql.ts";
import type { SecondFactorCheck as SignInFactor } from "./sign_in.ts";

/** The random bytes of a user's recovery codes. */
export const recovery_bytes = recovery_code_count * recovery_code_bytes;

/**
 * Begins the setup of a second factor, replacing an unconfirmed one, and returns its secret.
 * Refuses: invalid_state_transition (the user has one).
 */
export async function beginSecondFactor(
  tx: Tx,
  user_id: number,
  secret_key: Uint8Array,
  random: Uint8Array,
): Promise<string> {
  const secret = secretText(random);
  if (await insertPending(tx, user_id, seal(secret, secret_key, second_factor_purpose))) return secret;
  throw new Fault("invalid_state_transition", "Two-factor authentication is already on. Turn it off first.", {
    from: "on",
    action: "begin",
    allowed_actions: ["turn_off"],
  });
}

/**
 * Confirms a second factor by its first code. Returns the recovery codes, which cannot be shown again.
 * Refuses: invalid_state_transition (none is being set up), validation_failed (another code).
 */
export async function confirmSecondFactor(
  tx: Tx,
  user_id: number,
  code: string,
  secret_key: Uint8Array,
  random: Uint8Array,
): Promise<string[]> {
  const factor = await findSecondFactor(tx, user_id);
  if (factor === null || factor.confirmed_at !== null) {
    throw new Fault(
      "invalid_state_transition",
      "Two-factor authentication is not being set up. Start the setup first.",
      {
        from: factor === null ? "off" : "on",
        action: "confirm",
        allowed_actions: [factor === null ? "begin" : "turn_off"],
      },
    );
  }
  if (!(await takesTotp(tx, user_id, code, secret_key))) throw wrongCode();
  await saveConfirmed(tx, user_id);
  tx.changed("users");
  return renewRecoveryCodes(tx, user_id, random);
}

const wrongCode = () => invalid("code", "is not the code that the app shows; check the clock of your phone");

/** Replaces a user's recovery codes and returns the new ones, which cannot be shown again. */
export async function renewRecoveryCodes(tx: Tx, user_id: number, random: Uint8Array): Promise<string[]> {
  const codes = Array.from({ length: recovery_code_count }, (_, at) =>
    recoveryCode(random.subarray(at * recovery_code_bytes)),
  );
  await replaceCodes(
    tx,
    user_id,
    codes.flatMap((code) => recoveryHash(code) ?? []),
  );
  return codes;
}

/** Turns off a user's second factor and deletes the recovery codes. */
export async function turnOffSecondFactor(tx: Tx, user_id: number): Promise<void> {
  await deleteSecondFactor(tx, user_id);
  tx.changed("users");
}

/** Uses up a code of the app or a recovery code. Returns whether it was valid. */
async function takesCode(tx: Tx, user_id: number, code: string, secret_key: Uint8Array): Promise<boolean> {
  const hash = recoveryHash(code);
  if (hash !== null) return takeCode(tx, user_id, hash);
  return takesTotp(tx, user_id, code.replaceAll(/\s/g, ""), secret_key);
}

async function takesTotp(tx: Tx, user_id: number, code: string, secret_key: Uint8Array): Promise<boolean> {
  const factor = await findSecondFactor(tx, user_id);
  const secret = factor === null ? null : open(factor.secret, secret_key, second_factor_purpose);
  // A secret that was encrypted with a lost key cannot verify anything.
  if (factor === null || secret === null) return false;
  const period = periodOfCode(secret, code, tx.now, factor.last_period);
  return period !== null && (await takePeriod(tx, user_id, period));
}

/** The check of second factors at sign-in. */
export function secondFactors(service: {
  readonly secret_key: Uint8Array;
  readonly loopback_only: boolean;
}): SignInFactor {
  return {
    isNeeded: (user) => needsFactor(user, service),
    isRequired: ({ has_factor }) => has_factor,
    verify: (tx, { id }, code) => takesCode(tx, id, code, service.secret_key),
  };
}
