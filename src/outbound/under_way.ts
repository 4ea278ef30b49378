/** Work at carriers that requests have begun and that may outlast them, by store. */
const under_way = new WeakMap<object, Set<Promise<unknown>>>();

/** Counts work in progress until it is over. */
export function goesOn<Done>(store: object, work: Promise<Done>): Promise<Done> {
  const all = under_way.get(store) ?? new Set();
  under_way.set(store, all);
  const counted: Promise<unknown> = work.catch(() => {}).finally(() => all.delete(counted));
  all.add(counted);
  return work;
}

/** Waits until all work that requests have begun is over. */
export async function purchasesUnderWay(store: object): Promise<void> {
  const all = under_way.get(store);
  while (all !== undefined && all.size > 0) await Promise.all(all);
}
