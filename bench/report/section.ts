/** What a scenario has found out, ready to be written down. */

export interface Section {
  readonly id: string;
  readonly title: string;
  /** How it was measured; sentences. */
  readonly method: string;
  readonly tables: readonly Table[];
  /** What did not take part or did not work, and why. */
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
