/** What became of an invitation. It follows from its dates. */
export const invitationStatuses = ["open", "accepted", "revoked", "expired"] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];
