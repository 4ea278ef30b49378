/** The status of an invitation. It follows from its dates. */
export const invitationStatuses = ["open", "accepted", "revoked", "expired"] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

/** Whether the link of an invitation is valid. */
export const isOpen = (status: InvitationStatus): boolean => status === "open";

/** Whether an invitation may be sent again or revoked: nobody has accepted or revoked it. */
export const isPending = (status: InvitationStatus): boolean => status === "open" || status === "expired";
