export const ipModes = ["off", "observe", "enforce"] as const;
export type IpMode = (typeof ipModes)[number];
