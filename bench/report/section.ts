/** The results of a scenario, ready to be rendered. */

export interface Section {
  readonly id: string;
  readonly title: string;
  /** How it was measured, in sentences. */
  readonly method: string;
  readonly tables: readonly Table[];
  /** Contenders left out and failures, with the reason. */
  readonly notices: readonly string[];
  readonly charts?: readonly Chart[];
  readonly targets?: readonly Target[];
  /** Everything that was measured, for `results.json`. */
  readonly figures: unknown;
}

export interface Target {
  /** With its unit. */
  readonly figure: string;
  readonly wanted: string;
  readonly measured: string;
  readonly met: boolean;
}

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export type Chart =
  | { readonly kind: 'bars'; readonly title: string; readonly bars: readonly { name: string; value: number }[] }
  | { readonly kind: 'line'; readonly title: string; readonly points: readonly (readonly [x: number, y: number])[] };
