/** How tokens and images become the charge: each part, their sum, the rounding, and what was charged. */
import { Text } from '@mantine/core';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { formatUsd, signOf } from '../app/money/format-money.ts';
import { Usd } from '../app/money/money.tsx';
import { formatCount } from '../app/time/format-time.ts';
import { activityTexts } from './activity-texts.ts';
import type { Receipt } from './queries.ts';

type Cost = Receipt['cost'];

const partTexts = {
  prompt: 'promptPart',
  cachedPrompt: 'cachedPrompt',
  cacheWrite: 'cacheWrite',
  completion: 'completionPart',
  reasoning: 'reasoningPart',
} as const;

export function ReceiptCost({ cost }: { cost: Cost }) {
  const t = useTexts(activityTexts);
  const language = useLanguage();
  const { parts, images, exact, rounding, total, uncharged, charged } = cost;
  return (
    <table className="receipt-cost" aria-label={t('costHeading')}>
      <thead>
        <tr>
          <th scope="col" />
          <th scope="col">{t('tokens')}</th>
          <th scope="col">{t('perMillion')}</th>
          <th scope="col">{t('amount')}</th>
        </tr>
      </thead>
      <tbody>
        {parts
          .filter(({ tokens }) => tokens > 0)
          .map((part) => (
            <tr key={part.class}>
              <th scope="row">{nameOfPart(part.class, t)}</th>
              <td>{formatCount(part.tokens, language)}</td>
              <td>
                <Usd amount={part.perMillionTokens} />
              </td>
              <td>
                <Usd amount={part.amount} />
              </td>
            </tr>
          ))}
        {images === null ? null : (
          <tr>
            <th scope="row">{t('imagePart', { size: images.size, quality: images.quality })}</th>
            <td>{formatCount(images.count, language)}</td>
            <td>{t('perImage', { price: formatUsd(images.perImage, language) })}</td>
            <td>
              <Usd amount={images.amount} />
            </td>
          </tr>
        )}
      </tbody>
      <tbody className="receipt-sums">
        <Sum label={t('sum')} amount={exact} />
        <Sum label={t('rounding')} note={t('roundingText')} amount={rounding} isSigned />
        <Sum label={t('total')} amount={total} isStrong />
        {signOf(uncharged) === 0 ? null : (
          <>
            <Sum label={t('uncharged')} note={t('unchargedText')} amount={`-${uncharged}`} isSigned />
            <Sum label={t('chargedTotal')} amount={charged} isStrong />
          </>
        )}
      </tbody>
    </table>
  );
}

interface SumProps {
  readonly label: string;
  readonly note?: string;
  readonly amount: string;
  readonly isStrong?: boolean;
  readonly isSigned?: boolean;
}

function Sum({ label, note, amount, isStrong = false, isSigned = false }: SumProps) {
  return (
    <tr className={isStrong ? 'receipt-total' : undefined}>
      <th scope="row" colSpan={3}>
        {label}
        {note === undefined ? null : (
          <Text size="xs" c="dimmed">
            {note}
          </Text>
        )}
      </th>
      <td>
        <Usd amount={amount} signed={isSigned} />
      </td>
    </tr>
  );
}

/** A class that the API adds later keeps the name that the API gives it. */
function nameOfPart(name: string, t: ReturnType<typeof useTexts<NonNullable<(typeof activityTexts)['key']>>>): string {
  const text = Object.entries(partTexts).find(([known]) => known === name)?.[1];
  return text === undefined ? name : t(text);
}
