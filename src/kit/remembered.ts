const answers_max = 1000;

/** A function that remembers its last thousand answers. The function is pure: asked again, it says the same. */
export function remembered<A>(answer: (question: string) => A): (question: string) => A {
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
