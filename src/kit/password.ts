import { Fault } from "./fault.ts";

const cost = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

// The hash of a password that nobody knows. Verifying it takes as long as for any other.
const nobodys = [
  ...["", "argon2id", "v=19", "m=19456,t=2,p=1"],
  ...["dUiy9sLoueLuzVzk0ajsNWnhwqXh4AQD8f7PAo08QEM", "41hYoVP8cmlDYacJijYZlgOwCVHz+3wAicddHZ7xHlc"],
].join("$");

const at_once_max = 2;
let running = 0;

/** Each hash takes a core and 19 MiB for a while, so at most two run at once. Refuses: rate_limited. */
async function inTurn<Done>(work: () => Promise<Done>): Promise<Done> {
  if (running >= at_once_max) {
    throw new Fault("rate_limited", "Others are signing in at this moment. Try again in a second.", {
      retry_after_seconds: 1,
    });
  }
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
  }
}

// The same password may be typed with composed or with combined characters.
const plain = (password: string) => password.normalize("NFC");

/** What is kept of a password. Refuses: rate_limited (two others are at it). */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => Bun.password.hash(plain(password), cost));
}

/**
 * Whether it is the password of which this is kept. Without one it is not, which takes as long to find out.
 * Refuses: rate_limited (two others are at it).
 */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const fits = await inTurn(() => Bun.password.verify(plain(password), hash ?? nobodys));
  return fits && hash !== null;
}
