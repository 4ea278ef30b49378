import { liveOnly, type Permission } from "./permission.ts";

/**
 * What a route needs: a permission; `any` for whoever is authenticated; `user` for a user who is signed in, about
 * himself; `none` for routes that prove themselves or hold no secret.
 */
export type RouteNeed = Permission | "any" | "user" | "none";

/** Whether a request only reads, although its method may be one that changes things. */
export const onlyReads = (need: RouteNeed): boolean => need === "any" || need.endsWith(".read");

/** Whether a need is about what is kept once for both worlds, so that no key of the test world meets it. */
export const isOfLive = (need: RouteNeed): boolean => need === "user" || liveOnly.has(need as Permission);
