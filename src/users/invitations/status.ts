/** The status of an invitation. It follows from its dates. */
export const invitationStatuses = ["open", "accepted", "revoked", "expired"] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

/** Whether the link of an invitation is valid. */
export const isOpen = (status: InvitationStatus): boolean => status === "open";

/** Whether an invitation may be sent again or revoked: nobody has accepted or revoked it. */
export const isPending = (status: InvitationStatus): boolean => status === "open" || status === "expired";

/** By what a new user proves the address of an invitation: the link alone, that of the e-mail, or the operator's. */
export const invitationProofs = ["none", "email", "operator"] as const;
export type InvitationProof = (typeof invitationProofs)[number];
