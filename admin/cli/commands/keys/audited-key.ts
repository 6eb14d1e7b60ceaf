/** The columns of a key as the audit log keeps them: amounts are decimal strings of USD. */
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import type { Key } from '../../../keys/announce-key.ts';

export function auditedKey(columns: Partial<Key>): object {
  const fields = Object.entries(columns).map(([column, value]) => [
    column.replace(/Nano$/, ''),
    typeof value === 'bigint' ? formatUsd(nanoUsd(value)) : value,
  ]);
  return Object.fromEntries(fields);
}
