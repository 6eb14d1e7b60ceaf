/** How much of a budget is spent: in words, and as a bar that warns before nothing is left. */
import { Progress, Text } from '@mantine/core';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { compareDecimals, sumDecimals } from '../../app/money/decimal.ts';
import { formatPercent, formatUsd } from '../../app/money/format-money.ts';
import { Usd } from '../../app/money/money.tsx';
import { budgetsTexts } from './budgets-texts.ts';
import { percentOf } from './percent-of.ts';
import type { Budget } from './queries.ts';

const warningPercent = 80;
const fullPercent = 100;

export function BudgetProgress({ budget }: { budget: Budget }) {
  const t = useTexts(budgetsTexts);
  const language = useLanguage();
  const { amountUsd, spentUsd, reservedUsd } = budget;
  const percent = Math.floor(percentOf(sumDecimals([spentUsd, reservedUsd]), amountUsd));
  const amount = formatUsd(amountUsd, language);
  return (
    <div className="budget-progress">
      <div className="budget-progress-words">
        <span>
          <Usd amount={spentUsd} /> <span className="amount">{t('ofAmount', { amount })}</span>
        </span>
        <Text
          span
          inherit
          fw={percent < warningPercent ? 400 : 600}
          {...(percent >= fullPercent && { c: 'var(--mantine-color-error)' })}
        >
          {formatPercent(String(percent), language)}
        </Text>
      </div>
      <Bar budget={budget} percent={percent} />
      {compareDecimals(reservedUsd, '0') > 0 ? (
        <Text size="xs" c="dimmed">
          {t('reserved', { amount: formatUsd(reservedUsd, language) })}
        </Text>
      ) : null}
    </div>
  );
}

function Bar({ budget, percent }: { budget: Budget; percent: number }) {
  const t = useTexts(budgetsTexts);
  const language = useLanguage();
  const { amountUsd, spentUsd, reservedUsd } = budget;
  const usd = (amount: string) => formatUsd(amount, language);
  const spentPercent = Math.min(percentOf(spentUsd, amountUsd), fullPercent);
  const reservedPercent = Math.min(percentOf(reservedUsd, amountUsd), fullPercent - spentPercent);
  const color = percent >= fullPercent ? 'red.6' : percent >= warningPercent ? 'yellow.6' : 'indigo.6';
  return (
    <Progress.Root
      size={6}
      role="progressbar"
      aria-label={t('spent')}
      aria-valuemin={0}
      aria-valuemax={fullPercent}
      aria-valuenow={Math.min(percent, fullPercent)}
      aria-valuetext={t('spentOfAmount', { spent: usd(spentUsd), amount: usd(amountUsd) })}
    >
      <Progress.Section withAria={false} value={spentPercent} color={color} />
      <Progress.Section withAria={false} value={reservedPercent} color={color} opacity={0.5} />
    </Progress.Root>
  );
}
