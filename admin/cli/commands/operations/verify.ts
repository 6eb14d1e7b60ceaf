/** `gateway verify`: lists the sealed months, and proves one against its seal. */
import type { Sql } from 'postgres';
import { counted } from '../../../../shared/counted.ts';
import { GatewayError } from '../../../../shared/errors.ts';
import { scanWaits } from '../../../database/connect.ts';
import { listSeals, renderSeal } from '../../../ledger/seals/list-seals.ts';
import { verifyMonth } from '../../../ledger/seals/verify-month.ts';
import { command, type Outcome, UsageError } from '../../command.ts';
import { listOf } from '../../list.ts';
import { type CommandDatabase, withDatabase } from '../../with-database.ts';

const monthForm = /^\d{4}-(?:0[1-9]|1[0-2])$/;
const hashForm = /^[0-9a-f]{64}$/;

export const verify = command({
  description: 'List the sealed months of the ledger, or compare one with its seal',
  args: {
    month: { type: 'string', description: 'The month to compare, such as 2026-10' },
    hash: { type: 'string', description: 'The hash that you have written down for it' },
  },
  run: ({ month, hash }) => {
    if (month !== undefined && !monthForm.test(month))
      throw new UsageError('--month must be a month, such as 2026-10.');
    if (hash !== undefined && month === undefined) throw new UsageError('--hash requires --month.');
    if (hash !== undefined && !hashForm.test(hash)) throw new UsageError('--hash must have 64 hexadecimal digits.');
    return withDatabase(
      (database) => (month === undefined ? list(database.sql) : compare(database, month, hash)),
      scanWaits,
    );
  },
});

async function list(sql: Sql): Promise<Outcome> {
  const months = (await listSeals(sql)).map(renderSeal);
  const columns = {
    MONTH: ({ month }: (typeof months)[number]) => month,
    SEALED: ({ sealedAt }: (typeof months)[number]) => sealedAt,
    LINES: ({ lines }: (typeof months)[number]) => lines,
    EVENTS: ({ events }: (typeof months)[number]) => events,
    CHECKED: ({ checkedAt }: (typeof months)[number]) => checkedAt ?? 'not yet',
    PROBLEMS: ({ problems }: (typeof months)[number]) => problems.length,
    HASH: ({ hash }: (typeof months)[number]) => hash,
  };
  const none = 'No month is sealed yet. Admin seals a month a week after its end.';
  return {
    text: listOf(months, { none, columns }),
    object: { months },
    failed: months.some(({ problems }) => problems.length > 0),
  };
}

async function compare(
  { sql, archive }: CommandDatabase,
  month: string,
  writtenDown: string | undefined,
): Promise<Outcome> {
  const verified = await verifyMonth({ sql, archive, readsFiles: true }, month);
  if (verified === undefined) {
    const message = `${month} is not sealed. Admin seals a month a week after its end.`;
    throw new GatewayError('not_found', message, { param: 'month' });
  }
  const { hash, lines, events } = verified;
  const differs = writtenDown !== undefined && writtenDown !== hash;
  const problems = [...verified.problems, ...(differs ? [`The seal has the hash ${hash}, not the one given.`] : [])];
  const rows = `${counted(lines, 'line')} and ${counted(events, 'event')}`;
  const result =
    problems.length === 0 ? `${month} is what was sealed: ${rows}.` : `${month} is not what was sealed (${rows}):`;
  return {
    text: [result, ...problems.map((problem) => `  ${problem}`), `Hash ${hash}`].join('\n'),
    object: { ...verified, problems },
    failed: problems.length > 0,
  };
}
