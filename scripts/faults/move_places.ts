// Commands of Packhouse on places that installations are moved between, and what they say of a place.
import { usual_secret_key, usualProgram } from "../service.ts";

/** What a command said, and its exit code. */
interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The surroundings of commands: nothing leads them to another place. */
const surroundings = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("PACKHOUSE_"))),
  PACKHOUSE_SECRET_KEY: usual_secret_key,
};

/** Begins one command of Packhouse, to be waited for or killed. */
export function startPackhouse(words: readonly string[]) {
  return Bun.spawn([...usualProgram, ...words], {
    env: surroundings,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** Runs one command of Packhouse to its end. */
export async function packhouse(...words: readonly string[]): Promise<Said> {
  const child = startPackhouse(words);
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err };
}

/** The flags by which a command works on a place. */
export const at = (place: string): string[] => (place.includes("://") ? ["--database-url", place] : ["--data", place]);

/** An empty database on a server; its address. */
export async function makeDatabase(url: string): Promise<string> {
  const name = `move_${Bun.randomUUIDv7("hex").slice(-12)}`;
  const sql = new Bun.SQL(url);
  await sql.unsafe(`create database ${name}`);
  await sql.close();
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

/** What an operator is told by a place: it works, nothing is there, it is half moved, it was moved, or else. */
export async function told(place: string): Promise<string> {
  const { code, err } = await packhouse("keys", "list", ...at(place));
  if (code === 0) return "serves";
  if (code === 66) return "absent";
  if (/has an unfinished move/.test(err) && /[Rr]un the same packhouse move again/.test(err)) return "half";
  if (/was moved to/.test(err)) return "moved";
  return `${code}: ${err}`;
}

/** What came of one move. */
export interface Round {
  /** What happened. */
  readonly line: string;
  /** What was wrong; empty when nothing was. */
  readonly problems: readonly string[];
}

/** One in many parts of chance, of a seed. */
export const chance = (seed: number) => Number(Bun.hash(`move ${seed}`) % 1_000_003n) / 1_000_003;
