// The service behind its port. `/health` is answered at once; the features take longer to load than all the rest of a
// start, so they are loaded when one is first asked for, or soon after.

import { requestPathOf } from "../http/request_head.ts";
import type { Service } from "../http/service.ts";
import type { createApp } from "./app.ts";
import { createHealthApp } from "./base_app.ts";
import type { Schedule } from "./scheduler.ts";

export interface LazyApp {
  readonly handle: (request: Request) => Promise<Response>;
  /** Begins no more rounds of jobs, and waits for those that run. */
  readonly stop: () => Promise<void>;
}

/** The features: every route, and the jobs, which run from then on. */
interface LoadedFeatures {
  readonly app: ReturnType<typeof createApp>;
  readonly schedule: Schedule;
}

// A start first answers what is waiting for it, such as a look at its health.
const default_wait_ms = 250;

/**
 * Opens the service behind its port. The features are loaded at the first request for one of them, or after `wait_ms`.
 * `onFailed` gets the error when they cannot be loaded: the service is of no use without them.
 */
export function openLazyApp(service: Service, onFailed: (why: unknown) => void, wait_ms = default_wait_ms): LazyApp {
  let front: ReturnType<typeof createHealthApp> | null = createHealthApp(service);
  let features: LoadedFeatures | null = null;
  let loading: Promise<LoadedFeatures> | null = null;
  const load = () => {
    if (loading === null) {
      loading = loadFeatures(service).then((loaded) => {
        features = loaded;
        front = null;
        return loaded;
      });
      loading.catch(onFailed);
    }
    return loading;
  };
  const timer = setTimeout(load, wait_ms);
  return {
    handle: async (request) => {
      if (features !== null) return features.app.handle(request);
      if (front !== null && requestPathOf(request.url).path.startsWith("/health")) return front.handle(request);
      return (await load()).app.handle(request);
    },
    stop: async () => {
      clearTimeout(timer);
      await (await loading?.catch(() => null))?.schedule.stop();
    },
  };
}

async function loadFeatures(service: Service): Promise<LoadedFeatures> {
  const [{ createApp }, { startSchedule }] = await Promise.all([import("./app.ts"), import("./scheduler.ts")]);
  const app = createApp(service);
  return { app, schedule: startSchedule(service) };
}
