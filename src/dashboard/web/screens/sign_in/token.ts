/** What stands behind the # of the address: the secret of a link, which no server and no log is told. */
export const tokenInAddress = (): string => location.hash.slice(1);
