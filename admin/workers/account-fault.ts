/**
 * Reports what could not be done for one account while usage was booked, and was left so that the others go on. It counts as
 * a failure of a worker, so that the alert WorkerFailing tells operators of an account that keeps failing.
 */
import type { Log } from '../../shared/log.ts';
import { withoutParameters } from '../database/errors.ts';
import { failuresOf } from './repeat.ts';

const failures = failuresOf('serve account');

export function reportAccountFault(log: Log, accountId: number, error: unknown): void {
  failures.inc();
  log.error(
    { accountId, err: withoutParameters(error) },
    "an account's wallet could not be served; other accounts go on",
  );
}
