/** What a key has spent in a period, and its limit for it. */
import { Text } from '@mantine/core';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { formatUsd } from '../app/money/format-money.ts';
import { Usd } from '../app/money/money.tsx';
import { keysTexts } from './keys-texts.ts';

export function KeySpend({ amount = '0', limit }: { amount?: string | undefined; limit?: string | null | undefined }) {
  const t = useTexts(keysTexts);
  const language = useLanguage();
  return (
    <div>
      <Usd amount={amount} />
      {limit ? (
        <Text size="xs" c="dimmed" className="amount">
          {t('ofLimit', { amount: formatUsd(limit, language) })}
        </Text>
      ) : null}
    </div>
  );
}
