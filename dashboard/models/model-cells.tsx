/** Prices and costs in the list: USD first, roubles below. */
import { Text } from '@mantine/core';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { compareDecimals } from '../app/money/decimal.ts';
import { formatRub, formatUsd } from '../app/money/format-money.ts';
import { modelsTexts } from './models-texts.ts';
import type { Model } from './queries.ts';
import type { PricedModel } from './select-models.ts';

/** Below a rouble, kopecks would hide most of a price. */
export const rubDigits = (amount: string) => (compareDecimals(amount, '1') < 0 ? 'exact' : 'cents');

export function PriceCell({ model, name }: { model: Model; name: 'prompt' | 'cachedPrompt' | 'completion' }) {
  const { perImage, perMillionTokens, perMillionTokensRub } = model;
  if (perImage.length > 0) return name === 'completion' ? <ImagePrice model={model} /> : <None />;
  if (name === 'completion' && model.maxOutputTokens === 0) return <None />;
  return <Both usd={perMillionTokens[name]} rub={perMillionTokensRub[name]} />;
}

export function CostCell({ row: { estimate } }: { row: PricedModel }) {
  const t = useTexts(modelsTexts);
  if (estimate === undefined) return <None />;
  if (estimate.isTooLong) {
    return (
      <Text size="xs" c="dimmed">
        {t('tooLong')}
      </Text>
    );
  }
  return <Both usd={estimate.perMonth} rub={estimate.perMonthRub} />;
}

function ImagePrice({ model: { perImage } }: { model: Model }) {
  const t = useTexts(modelsTexts);
  const language = useLanguage();
  const [least] = perImage.toSorted((one, other) => compareDecimals(one.price, other.price));
  if (least === undefined) return null;
  return (
    <div>
      <div className="amount">{t('fromPrice', { price: formatUsd(least.price, language) })}</div>
      <Text size="xs" c="dimmed">
        {t('anImage')}
      </Text>
    </div>
  );
}

function Both({ usd, rub }: { usd: string; rub: string }) {
  const language = useLanguage();
  return (
    <div>
      <div className="amount">{formatUsd(usd, language)}</div>
      <Text size="xs" c="dimmed" className="amount">
        {formatRub(rub, language, { digits: rubDigits(rub) })}
      </Text>
    </div>
  );
}

const None = () => (
  <Text span c="dimmed" inherit>
    –
  </Text>
);
