export const ipModes = ["off", "observe", "enforce"] as const;
export type IpMode = (typeof ipModes)[number];

/** The status of a key. It follows from two dates: only time and `revoke` change it. */
export const keyStatuses = ["active", "expired", "revoked"] as const;
export type KeyStatus = (typeof keyStatuses)[number];

/** Whether a key is valid. */
export const isActive = (status: KeyStatus): boolean => status === "active";

/** The error code for a key that has ended; null for an active one. */
export const endedCode = {
  active: null,
  expired: "api_key_expired",
  revoked: "api_key_revoked",
} as const satisfies Readonly<Record<KeyStatus, string | null>>;

/** The status of an invitation. It follows from its dates. */
export const invitationStatuses = ["open", "accepted", "revoked", "expired"] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

/** Whether the link of an invitation is valid. */
export const isOpen = (status: InvitationStatus): boolean => status === "open";

/** Whether an invitation may be sent again or revoked: nobody has accepted or revoked it. */
export const isPending = (status: InvitationStatus): boolean => status === "open" || status === "expired";

/** How a new user proves the invited address: by the link shown, the emailed link, or one from the operator. */
export const invitationProofs = ["none", "email", "operator"] as const;
export type InvitationProof = (typeof invitationProofs)[number];

/** The status of a user, which decides whether they may sign in. */
export const userStatuses = ["active", "disabled"] as const;
export type UserStatus = (typeof userStatuses)[number];

/** The status of a new user. */
export const userStarts: UserStatus = "active";

/** Whether a user of this status may sign in. */
export const maySignIn = (status: UserStatus): boolean => status === "active";

/** The status of a device for sign-in by badge. It follows from its columns. */
export const floorDeviceStatuses = ["unopened", "active", "revoked"] as const;
export type FloorDeviceStatus = (typeof floorDeviceStatuses)[number];

/** The PIN of a user: none, one that an administrator chose, or the user's own. */
export const pinStatuses = ["unset", "temporary", "own"] as const;
export type PinStatus = (typeof pinStatuses)[number];

/** What a membership covers, as stored: the operator's whole installation, or one merchant. */
export const covers = ["house", "merchant"] as const;
export type MembershipCover = (typeof covers)[number];

/** The same as the API shows it. */
export const shownCovers = ["operator", "merchant"] as const;
