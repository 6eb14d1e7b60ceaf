/** A gateway whose Postgres can be restored. */
import type { Customer } from '../harness/customers.ts';
import type { ScriptedPaymentProvider } from '../harness/payments/scripted-provider.ts';
import type { Program } from '../harness/programs.ts';
import type { Harness } from '../harness.ts';
import type { RestorablePostgres } from './restorable-postgres.ts';

export interface Stage {
  readonly harness: Harness;
  readonly postgres: RestorablePostgres;
  readonly stripe: ScriptedPaymentProvider;
  readonly proxies: readonly Program[];
  readonly customers: readonly Customer[];
  /** The server that runs now. */
  admin: Program;
  startAdmin(): Promise<Program>;
}
