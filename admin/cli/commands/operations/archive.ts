/** `gateway archive`: moves the charges of months that are long past into files. */
import { counted } from '../../../../shared/counted.ts';
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import { loadCommandConfig } from '../../../config/admin.ts';
import { scanWaits } from '../../../database/connect.ts';
import type { ArchivedMonth } from '../../../ledger/archive/archive-month.ts';
import { archiveUsage, monthsMin } from '../../../ledger/archive/archive-usage.ts';
import { countAllLots } from '../../../lots/count-lots.ts';
import { command, UsageError } from '../../command.ts';
import { DetailedError } from '../../describe-failure.ts';
import { withDatabase } from '../../with-database.ts';

const monthsMax = 120;

export const archive = command({
  description: 'Move the charges of past months to Parquet files, and free their space in Postgres',
  args: {
    months: { type: 'string', required: true, description: `How many whole months to keep, at least ${monthsMin}` },
  },
  run: ({ months }) => {
    const kept = Number(months);
    if (!Number.isInteger(kept) || kept < monthsMin || kept > monthsMax) {
      throw new UsageError(`--months must be a whole number from ${monthsMin} to ${monthsMax}.`);
    }
    const { archivePlace, payments } = loadCommandConfig(['archivePlace', 'payments']);
    if (archivePlace === undefined) {
      throw new UsageError('ARCHIVE_DIR or ARCHIVE_S3_URL must be set: where the files are, for admin as well.');
    }
    return withDatabase(async ({ db, sql, archive: { store } }) => {
      await countAllLots(db, payments);
      const archived = await archiveUsage(sql, { months: kept, store });
      if (archived === undefined)
        throw new DetailedError(
          'archive_running',
          'Another program is archiving a month or packing totals; run the command again in a few minutes.',
          {},
        );
      return {
        text: archived.length === 0 ? 'No sealed month is old enough.' : archived.map(describe).join('\n'),
        object: {
          months: archived.map(({ chargedNano, file, ...month }) => ({
            ...{ ...month, charged: formatUsd(nanoUsd(chargedNano)), file: file ?? null },
          })),
        },
      };
    }, scanWaits);
  },
});

function describe({ month, requests, chargedNano, file }: ArchivedMonth): string {
  const name = month.slice(0, 7);
  if (file === undefined) return `${name}: no requests`;
  const size = `${file.name}, ${counted(file.bytes, 'byte')}`;
  return `${name}: ${counted(requests, 'request')}, $${formatUsd(nanoUsd(chargedNano))}, in ${size}`;
}
