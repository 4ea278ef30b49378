// Lazy loading of the app. `/health` works at once. The features take longer to load than the rest of a start, so they
// are loaded at the first request for one of them, or soon after the start.

import { requestPathOf } from "../http/request_input.ts";
import type { Service } from "../http/service.ts";
import type { createApp } from "./app.ts";
import { createHealthApp } from "./base_app.ts";
import type { Schedule } from "./scheduler.ts";

/** The app, loaded on demand. */
export interface LazyApp {
  readonly handle: (request: Request) => Promise<Response>;
  /** Starts no more rounds of jobs, and waits for those that run. */
  readonly stop: () => Promise<void>;
}

/** Every route, and the running jobs. */
interface LoadedFeatures {
  readonly app: ReturnType<typeof createApp>;
  readonly schedule: Schedule;
}

// Requests that are waiting for the start, such as a health check, go first.
const default_wait_ms = 250;

/**
 * Creates the app. The features are loaded at the first request for one of them, or after `wait_ms`. If that fails,
 * `onFailed` receives the error; the service cannot work without them.
 */
export function openLazyApp(service: Service, onFailed: (error: unknown) => void, wait_ms = default_wait_ms): LazyApp {
  let health_app: ReturnType<typeof createHealthApp> | null = createHealthApp(service);
  let features: LoadedFeatures | null = null;
  let loading: Promise<LoadedFeatures> | null = null;
  const load = () => {
    if (loading === null) {
      loading = loadFeatures(service).then((loaded) => {
        features = loaded;
        health_app = null;
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
      if (health_app !== null && requestPathOf(request.url).path.startsWith("/health"))
        return health_app.handle(request);
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
