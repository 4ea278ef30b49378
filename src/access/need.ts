import { liveOnly, type Permission } from "./permission.ts";

/**
 * What a route needs: a permission; `any` for any key or user; `user` for a signed-in user, about that user; `none` for
 * public routes and for routes that check a signature or a token themselves.
 */
export type RouteNeed = Permission | "any" | "user" | "none";

/** Whether a request only reads, although its method is one that may change things. */
export const onlyReads = (need: RouteNeed): boolean => need === "any" || need.endsWith(".read");

/** Whether a need is about data that both worlds share, which no key of the test world reaches. */
export const isOfLive = (need: RouteNeed): boolean => need === "user" || liveOnly.has(need as Permission);
