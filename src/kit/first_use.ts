/**
 * A function that makes something when it is first called, and answers it from then on: what few requests need shall
 * not hold up the start.
 */
export function onFirstUse<Made>(make: () => Made): () => Made {
  let made: { readonly it: Made } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}
