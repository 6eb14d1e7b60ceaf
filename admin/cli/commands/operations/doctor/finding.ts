/** The result of one check of `gateway doctor`. */
export interface Finding {
  readonly check: string;
  /** `warn`: it works, but should be fixed. `fail`: it does not work. */
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}
