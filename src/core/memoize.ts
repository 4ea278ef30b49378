// In its own file since every layer uses it: work that runs once, on first use.
/**
 * Wraps a function so that it runs on first use and its result is cached. Keeps rarely needed work out of startup.
 */
export function onFirstUse<Made>(make: () => Made): () => Made {
  let made: { readonly it: Made } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

const results_max = 1000;

/** Caches up to 1,000 results of a pure function. */
export function memoized<Result>(compute: (input: string) => Result): (input: string) => Result {
  const results = new Map<string, Result>();
  return (input) => {
    const known = results.get(input);
    if (known !== undefined) return known;
    if (results.size >= results_max) results.clear();
    const result = compute(input);
    results.set(input, result);
    return result;
  };
}
