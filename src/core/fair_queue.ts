// In its own file since http and storage both use it.
/** A queue that serves its keys in turn, so that a key with many items does not delay the others. */
export class FairQueue<Key, Item> {
  readonly #waiting = new Map<Key, Item[]>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  push(key: Key, item: Item): void {
    const own = this.#waiting.get(key);
    if (own === undefined) this.#waiting.set(key, [item]);
    else own.push(item);
  }

  /** Takes the first item of the key that has waited longest. */
  shift(): Item | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [key, own] = first;
    const item = own.shift();
    this.#waiting.delete(key);
    if (own.length > 0) this.#waiting.set(key, own);
    return item;
  }
}
