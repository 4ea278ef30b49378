export const permissions = ["read", "read_write", "full"] as const;
export type Permission = (typeof permissions)[number];

/** Whether a key of one level may do what needs another: each level contains those before it. */
export function grants(granted: Permission, required: Permission): boolean {
  return permissions.indexOf(granted) >= permissions.indexOf(required);
}

export const ipModes = ["off", "observe", "enforce"] as const;
export type IpMode = (typeof ipModes)[number];
