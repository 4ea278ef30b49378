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

const answers_max = 1000;

/** A function that remembers its last thousand answers. The function is pure: asked again, it says the same. */
export function memoized<A>(answer: (question: string) => A): (question: string) => A {
  const answers = new Map<string, A>();
  return (question) => {
    const known = answers.get(question);
    if (known !== undefined) return known;
    if (answers.size >= answers_max) answers.clear();
    const found = answer(question);
    answers.set(question, found);
    return found;
  };
}
