import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiProblem, problemOf } from "../api/problem.ts";

/** The latest answer, or why there is none. */
interface Latest<Data> {
  readonly data: Data | null;
  readonly problem: ApiProblem | null;
  /** Whether the answer belongs to an earlier question. */
  readonly asking: boolean;
}

interface Answered<Data> {
  /** The question that the answer belongs to. */
  readonly to: string | null;
  readonly data: Data | null;
  readonly problem: ApiProblem | null;
}

const nothing = { to: null, data: null, problem: null };

/**
 * Asks again shortly after `question` has changed, and uses only the newest answer.
 * With a question of null nothing is asked.
 */
export function useLatest<Data>(
  question: string | null,
  ask: (signal: AbortSignal) => Promise<Data>,
  delay_ms = 200,
): Latest<Data> {
  const [answered, setAnswered] = useState<Answered<Data>>(nothing);
  const asked = useRef(false);
  useEffect(() => {
    if (question === null) return;
    const aborting = new AbortController();
    const begin = () => {
      asked.current = true;
      ask(aborting.signal).then(
        (data) => aborting.signal.aborted || setAnswered({ to: question, data, problem: null }),
        (error) => aborting.signal.aborted || setAnswered({ to: question, data: null, problem: problemOf(error) }),
      );
    };
    const timer = setTimeout(begin, asked.current ? delay_ms : 0);
    return () => {
      clearTimeout(timer);
      aborting.abort();
    };
  }, [question]);
  if (question === null) return { data: null, problem: null, asking: false };
  const { to, data, problem } = answered;
  return { data, problem: to === question ? problem : null, asking: to !== question };
}
