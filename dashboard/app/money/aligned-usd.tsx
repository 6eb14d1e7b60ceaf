/** An amount in a column, whose points stand below each other however many digits follow them. */
import type { CSSProperties } from 'react';
import { Usd } from './money.tsx';

interface AlignedUsdProps {
  readonly amount: string;
  /** All amounts of the column. */
  readonly among: readonly string[];
  readonly signed?: boolean;
}

export function AlignedUsd({ amount, among, signed = false }: AlignedUsdProps) {
  const missing = Math.max(...among.map(digitsBehindPoint), 0) - digitsBehindPoint(amount);
  return (
    <span className="aligned" style={{ '--missing-digits': Math.max(missing, 0) } as CSSProperties}>
      <Usd amount={amount} signed={signed} />
    </span>
  );
}

/** As shown: at least the cents. */
function digitsBehindPoint(amount: string): number {
  const [, fraction = ''] = amount.split('.');
  return Math.max(fraction.length, 2);
}
