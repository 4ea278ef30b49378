/**
 * Says that the start of this thread is over. The binary begins with code that is interpreted, since most of what a
 * start runs is run once (`jitPolicy` in `scripts/build.ts`); from now on what runs often is compiled as usual.
 */
export function compileHotCode(): void {
  Bun.unsafe.setJITPolicy(1);
}

const busy_from = 100;
const rest_ms = 5000;

/**
 * Answers what is to be called for each request of a server: from the hundredth on, what runs often is compiled. A
 * server that has fewer soon after its start lets go of what only the start needed, and never loads the compilers.
 */
export function compileOnceBusy(): () => void {
  let left = busy_from;
  const resting = setTimeout(() => Bun.shrink(), rest_ms).unref();
  return () => {
    if (left === 0) return;
    left -= 1;
    if (left > 0) return;
    clearTimeout(resting);
    compileHotCode();
  };
}
