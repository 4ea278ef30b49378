/**
 * Says that the start of this thread is over. The binary begins with code that is interpreted, since most of what a
 * start runs is run once (`jitPolicy` in `scripts/build.ts`); from now on what runs often is compiled as usual.
 */
export function compileHotCode(): void {
  Bun.unsafe.setJITPolicy(1);
}
