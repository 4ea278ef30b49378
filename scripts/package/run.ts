/** Runs a program to its end and answers what it printed. One that fails throws with all that it said. */
export async function run(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = Bun.spawn([...words], {
    ...{ env: { ...process.env, ...env }, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  });
  const [said, complained, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}:\n${said}${complained}`);
  return said;
}
