// What a commit can set off in this process, by name: jobs to be run, and news for those who follow records.

/** The names of the jobs that a commit can wake. `src/schedule.ts` has the job of each. */
export const jobNames = [
  "inventory.expire_reservations",
  "inventory.expire_lots",
  "inventory.fill_backorders",
  "orders.release_holds",
  "orders.hold_recalled",
  "orders.hold_suspended",
  "orders.note_claims",
  "orders.recheck_goods",
  "orders.recheck_addresses",
  "addresses.ask",
  "platforms.import",
  "platforms.report",
  "shipping.finish_purchases",
  "tracking.poll",
  "webhooks.fan_out",
  "webhooks.deliver",
  "webhooks.end_waiting",
  "webhooks.recover",
  "users.mail_invitations",
  "privacy.erase",
  "webhooks.mail",
  "backups.settle_restored",
  "backups.run",
] as const;

export type JobName = (typeof jobNames)[number];

/**
 * Records that a part of this process follows: it is told after each commit that changed them (`tx.changed`). Events
 * count once they have their place in the order of `GET /events`, users with their sessions and second factors.
 */
export type Followed = "attempts" | "events" | "keys" | "merchants" | "users";
