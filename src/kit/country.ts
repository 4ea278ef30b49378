import { onFirstUse } from "./first_use.ts";

/** The countries by their codes, and their names in English. The table is read when it is first asked for. */
export const countries = onFirstUse(() => {
  const library = require("i18n-iso-countries/index.js") as typeof import("i18n-iso-countries");
  library.registerLocale(require("i18n-iso-countries/langs/en.json"));
  return library;
});
