/** A colour as a style takes it: what is written, or the value of a token such as `--plot-1`. */
export const cssColour = (colour: string): string => (colour.startsWith("--") ? `var(${colour})` : colour);
