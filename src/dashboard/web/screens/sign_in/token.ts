/** The secret of a link, after the # of the address, so that it reaches no server and no log. */
export const tokenInAddress = (): string => location.hash.slice(1);
