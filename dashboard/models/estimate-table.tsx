/** How the calculator's cost comes about: each part of a request, their sum, and the month. */
import { Text, Title } from '@mantine/core';
import { useId } from 'react';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { formatUsd } from '../app/money/format-money.ts';
import { Rub, type RubRate } from '../app/money/money.tsx';
import { usePriceName } from '../app/money/unit-words.ts';
import { formatCount } from '../app/time/format-time.ts';
import type { Estimate, EstimatePart } from './model.ts';
import { rubDigits } from './model-cells.tsx';
import { modelsTexts } from './models-texts.ts';

export function EstimateTable({ estimate, rubRate }: { estimate: Estimate; rubRate: RubRate }) {
  const t = useTexts(modelsTexts);
  const nameOf = usePriceName();
  const language = useLanguage();
  const id = useId();
  const { parts, request, perRequest, perMonth, perMonthRub, isTooLong } = estimate;
  const usd = (amount: string) => formatUsd(amount, language);
  const labels: Readonly<Record<EstimatePart['name'], string>> = {
    prompt: t('input'),
    cachedPrompt: t('cachedInput'),
    completion: t('output'),
  };
  const sums = [
    { label: t('rounded'), amount: perRequest },
    { label: t('costPerMonth'), amount: perMonth },
  ];
  return (
    <section>
      <Title order={3} size="h5" id={id} mb={4}>
        {t('oneRequest')}
      </Title>
      {isTooLong ? (
        <Text size="sm" c="dimmed" mb={4}>
          {t('tooLong')}
        </Text>
      ) : null}
      <table className="small-table" aria-labelledby={id}>
        <thead>
          <tr>
            <th scope="col">{t('tokenClass')}</th>
            <th scope="col" className="cell-number">
              {t('amount')}
            </th>
          </tr>
        </thead>
        <tbody>
          {parts
            .filter(({ tokens }) => tokens > 0)
            .map(({ name, tokens, perMillionTokens, amount }) => (
              <tr key={name}>
                <td>
                  {labels[name]}: {formatCount(tokens, language)} × {usd(perMillionTokens)} /{' '}
                  {formatCount(1e6, language)}
                </td>
                <td className="cell-number amount">{usd(amount)}</td>
              </tr>
            ))}
          {request === undefined ? null : (
            <tr>
              <td>{nameOf('request')}</td>
              <td className="cell-number amount">{usd(request)}</td>
            </tr>
          )}
        </tbody>
        <tfoot>
          {sums.map(({ label, amount }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td className="cell-number amount">{usd(amount)}</td>
            </tr>
          ))}
          <tr>
            <td />
            <td className="cell-number">
              <Text span inherit c="dimmed">
                <Rub amount={perMonthRub} rate={rubRate} digits={rubDigits(perMonthRub)} />
              </Text>
            </td>
          </tr>
        </tfoot>
      </table>
    </section>
  );
}
