/** What a check of the doctor finds. */

export interface Finding {
  readonly check: string;
  /** `warn`: it works, but not as it should. `fail`: it does not work. */
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}
