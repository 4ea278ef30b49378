/**
 * Runs a program to its end and returns its output. Throws with all of the output if it fails. It stands alone because
 * every part of the packaging uses it.
 */
export async function run(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = Bun.spawn([...words], {
    ...{ env: { ...process.env, ...env }, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  });
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}:\n${output}${errors}`);
  return output;
}
