/** Sums of usage as a CSV file. */
import { formatUsd } from '../../../shared/money.ts';
import { units } from '../../../shared/usage/billable-units.ts';
import { csvLine, textCell } from '../../http/download.ts';
import type { UsageSum } from '../../ledger/queries/read-usage.ts';

const columns = [
  'day',
  'hour',
  'model',
  'keyId',
  'keyName',
  'requests',
  ...units.map(({ name }) => name),
  'cost',
  'currency',
];

export function writeUsage(sums: readonly UsageSum[], keyNames: ReadonlyMap<number, string>): string {
  const lines = sums.map((sum) =>
    csvLine([
      sum.day ?? '',
      sum.hour?.toISOString() ?? '',
      textCell(sum.model ?? ''),
      sum.keyId === null ? '' : String(sum.keyId),
      textCell(sum.keyId === null ? '' : (keyNames.get(sum.keyId) ?? '')),
      String(sum.requests),
      ...units.map(({ name }) => String(sum[name])),
      formatUsd(sum.costNano),
      'USD',
    ]),
  );
  return csvLine(columns) + lines.join('');
}
