import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiProblem, problemOf } from "../api/problem.ts";

/** Reloads when the revision changes, for example an order's parcels when it ships. */
export function useReloadOn(revision: number, ...reloads: readonly (() => Promise<void>)[]): void {
  const known = useRef(revision);
  useEffect(() => {
    if (known.current === revision) return;
    known.current = revision;
    for (const reload of reloads) void reload();
  }, [revision]);
}

/** The latest response or error. */
interface LatestAnswer<Data> {
  readonly data: Data | null;
  readonly problem: ApiProblem | null;
  /** Whether the response belongs to an earlier request. */
  readonly asking: boolean;
}

interface AnsweredQuestion<Data> {
  /** The request that the response belongs to. */
  readonly to: string | null;
  readonly data: Data | null;
  readonly problem: ApiProblem | null;
}

const nothing = { to: null, data: null, problem: null };

/**
 * Sends a request shortly after `question` changes and uses only the newest response. Sends none if `question` is
 * null.
 */
export function useLatest<Data>(
  question: string | null,
  ask: (signal: AbortSignal) => Promise<Data>,
  delay_ms = 200,
): LatestAnswer<Data> {
  const [answered, setAnswered] = useState<AnsweredQuestion<Data>>(nothing);
  const has_read = useRef(false);
  useEffect(() => {
    if (question === null) return;
    const aborting = new AbortController();
    const begin = () => {
      has_read.current = true;
      ask(aborting.signal).then(
        (data) => aborting.signal.aborted || setAnswered({ to: question, data, problem: null }),
        (error) => aborting.signal.aborted || setAnswered({ to: question, data: null, problem: problemOf(error) }),
      );
    };
    const timer = setTimeout(begin, has_read.current ? delay_ms : 0);
    return () => {
      clearTimeout(timer);
      aborting.abort();
    };
  }, [question]);
  if (question === null) return { data: null, problem: null, asking: false };
  const { to, data, problem } = answered;
  return { data, problem: to === question ? problem : null, asking: to !== question };
}

/** Reloads every `every_ms` while something is in progress, in addition to hints. */
export function useProgress(under_way: boolean, look: () => Promise<void>, every_ms = 2000): void {
  useEffect(() => {
    if (!under_way) return;
    const timer = setInterval(() => void look(), every_ms);
    return () => clearInterval(timer);
  }, [under_way]);
}
