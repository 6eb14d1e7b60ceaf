/** `gateway archive`: moves the usage of months that are long past into the archive. */
import { statSync } from 'node:fs';
import { counted } from '../../../../shared/counted.ts';
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import { scanWaits } from '../../../database/connect.ts';
import { archiveUsage, monthsMin } from '../../../ledger/archive/archive-usage.ts';
import { command, UsageError } from '../../command.ts';
import { DetailedError } from '../../describe-failure.ts';
import { withDatabase } from '../../with-database.ts';

const monthsMax = 120;

export const archive = command({
  description: 'Compress the usage of past months, write it to files, and free its space',
  args: {
    months: { type: 'string', required: true, description: `How many whole months to keep, at least ${monthsMin}` },
    to: { type: 'string', required: true, description: 'The folder for the files' },
  },
  run: ({ months, to }) => {
    const kept = Number(months);
    if (!Number.isInteger(kept) || kept < monthsMin || kept > monthsMax) {
      throw new UsageError(`--months must be a whole number from ${monthsMin} to ${monthsMax}.`);
    }
    if (statSync(to, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new UsageError(`--to must be a folder that exists.`);
    }
    return withDatabase(async ({ sql }) => {
      const archived = await archiveUsage(sql, { months: kept, directory: to });
      if (archived === undefined) throw new DetailedError('archive_running', 'Another run is archiving.', {});
      const lines = archived.map(
        ({ month, requests, chargedNano, file }) =>
          `${month.slice(0, 7)}: ${counted(requests, 'request')}, $${formatUsd(nanoUsd(chargedNano))}, in ${file}`,
      );
      return {
        text: lines.length === 0 ? 'No sealed month is old enough.' : lines.join('\n'),
        object: {
          months: archived.map(({ chargedNano, ...month }) => ({ ...month, charged: formatUsd(nanoUsd(chargedNano)) })),
        },
      };
    }, scanWaits);
  },
});
