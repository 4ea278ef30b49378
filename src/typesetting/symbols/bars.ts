/** A run of dark modules: where it starts and how many modules wide it is. */
export interface Bar {
  readonly at: number;
  readonly width: number;
}
