// Lengths of time, in milliseconds. Stands alone because every layer uses them.
export const second_ms = 1000;
export const minute_ms = 60 * second_ms;
export const hour_ms = 60 * minute_ms;
export const day_ms = 24 * hour_ms;
export const week_ms = 7 * day_ms;
