// Colors as people see them.

/** The share of a color channel in brightness as people see it (WCAG 2). */
const brightnessOf = (channel: number) => {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};

/** The color of text on a color: black or white, whichever has more contrast. Its contrast is at least 4.5 to 1. */
export function textColorOn(color: string): "#000000" | "#ffffff" {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    brightnessOf(Number.parseInt(color.slice(at, at + 2), 16)),
  );
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) ? "#000000" : "#ffffff";
}
