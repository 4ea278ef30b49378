/** How something is: as it should be, worth a look, or in the way of the service. */
type State = "ok" | "warning" | "problem";

/** What was found out about one thing, in a line, and what to do about it. */
export interface Finding {
  readonly subject: string;
  readonly state: State;
  readonly said: string;
  /** What to do; null where nothing is to be done. */
  readonly advice: string | null;
}

/** All is as it should be. */
export const ok = (subject: string, said: string): Finding => ({ subject, state: "ok", said, advice: null });

/** The service works, and might not for long, or not for all. */
export const warning = (subject: string, said: string, advice: string): Finding => ({
  ...{ subject, state: "warning", said, advice },
});

/** The service does not work, or what it promises does not hold. */
export const problem = (subject: string, said: string, advice: string): Finding => ({
  ...{ subject, state: "problem", said, advice },
});
