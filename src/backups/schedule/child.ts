// The child process of a run: the program itself, by its command line, which gives way to everything else.
import { childEnvironment, ownProgram } from "../../config.ts";

/** What a child ended with: what it printed last, or why it failed. */
export type Ended = { readonly said: string } | { readonly problem: string };

export interface Child {
  readonly ended: Promise<Ended>;
  /** Asks it to end, and to remove what it has written. */
  end(): void;
}

const problem_max = 1000;

/**
 * Runs a command of this program. Its words are read by anyone on the machine; what is secret goes by its environment.
 * It ends when its input does, as when this process is killed.
 */
export function runCommand(words: readonly string[], database_url: string | null): Child {
  const child = Bun.spawn([...ownProgram, ...words], {
    env: childEnvironment(database_url),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const gather = async (): Promise<Ended> => {
    const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    const code = await child.exited;
    if (code === 0) return { said: lastLine(out) };
    const told = lastLine(errors).replace(/^packhouse [\w -]+?: /, "") || lastLine(out);
    const problem = told.slice(0, problem_max);
    return { problem: problem === "" ? `The process that made it ended (${child.signalCode ?? code}).` : problem };
  };
  return { ended: gather(), end: () => child.kill("SIGTERM") };
}

const lastLine = (text: string) => text.trim().split("\n").at(-1) ?? "";
