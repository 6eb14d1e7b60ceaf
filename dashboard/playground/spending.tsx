/** What the conversation has cost, and what the playground's key may spend. */
import { Text } from '@mantine/core';
import { memo } from 'react';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { formatUsd } from '../app/money/format-money.ts';
import { Usd } from '../app/money/money.tsx';
import { formatInstant } from '../app/time/format-time.ts';
import type { PlaygroundKey } from './conversation/playground-key.ts';
import { costOf, type Turn } from './conversation/turns.ts';
import { playgroundTexts } from './playground-texts.ts';

/** Typing a message does not draw it again. */
export const Spending = memo(function Spending({
  turns,
  playgroundKey,
}: {
  turns: readonly Turn[];
  playgroundKey: PlaygroundKey | undefined;
}) {
  const t = useTexts(playgroundTexts);
  const language = useLanguage();
  return (
    <div className="spending">
      <Text size="sm" className="spending-sum">
        <span>{t('conversationCost')}</span>
        <Usd amount={costOf(turns)} />
      </Text>
      <Text size="xs" c="dimmed" mt={4}>
        {playgroundKey === undefined
          ? t('keyLater')
          : t('keyLimit', {
              amount: formatUsd(playgroundKey.spendLimit, language),
              instant: formatInstant(playgroundKey.expiresAt, language),
            })}
      </Text>
    </div>
  );
});
