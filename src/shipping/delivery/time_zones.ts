// The zone in which most people of a state live. A state with two zones is off by an hour in its smaller part.
const zoneStates = {
  "America/New_York": "CT DC DE FL GA IN KY MA MD ME MI NC NH NJ NY OH PA RI SC VA VT WV",
  "America/Chicago": "AL AR IA IL KS LA MN MO MS ND NE OK SD TN TX WI",
  "America/Denver": "CO ID MT NM UT WY",
  "America/Phoenix": "AZ",
  "America/Los_Angeles": "CA NV OR WA",
  "America/Anchorage": "AK",
  "Pacific/Honolulu": "HI",
  "America/Puerto_Rico": "PR VI",
  "Pacific/Guam": "GU MP",
  "Pacific/Pago_Pago": "AS",
} as const;

const zoneOf: ReadonlyMap<string, string> = new Map(
  Object.entries(zoneStates).flatMap(([zone, states]) => states.split(" ").map((state) => [state, zone] as const)),
);

// States by the post's list in which nobody can say what time it is: the armed forces' and three of the Pacific.
const otherStates: readonly string[] = ["AA", "AE", "AP", "FM", "MH", "PW"];

/** Whether text is the two-letter code of a US state or territory, as the post lists them; its case does not count. */
export function isUsState(text: string): boolean {
  const code = text.toUpperCase();
  return zoneOf.has(code) || otherStates.includes(code);
}

/** The IANA zone of a US state or territory by its two letters; null for anything else, also for any other country. */
export function stateTimeZone(state: string | null, country: string): string | null {
  return country === "US" && state !== null ? (zoneOf.get(state.toUpperCase()) ?? null) : null;
}
