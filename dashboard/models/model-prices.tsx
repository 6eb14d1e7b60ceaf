/** All prices of a model, in dollars and roubles. */
import { Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { formatRub, formatUsd } from '../app/money/format-money.ts';
import { RateName } from '../app/money/rate-name.tsx';
import type { Model } from './model.ts';
import { rubDigits } from './model-cells.tsx';
import { modelsTexts } from './models-texts.ts';

export function TokenPrices({ model }: { model: Model }) {
  const t = useTexts(modelsTexts);
  const { perMillionTokens, perMillionTokensRub, perImage, maxOutputTokens } = model;
  const prompt = [{ name: 'prompt', label: t('input') }] as const;
  const cache = [
    { name: 'cachedPrompt', label: t('cachedInput') },
    { name: 'cacheWrite', label: t('cacheWrite') },
  ] as const;
  const output = [
    { name: 'completion', label: t('output') },
    { name: 'reasoning', label: t('reasoning') },
  ] as const;
  const classes = [...prompt, ...(perImage.length > 0 ? [] : cache), ...(maxOutputTokens === 0 ? [] : output)];
  return (
    <PriceTable title={t('perMillion')} heads={[t('tokenClass')]}>
      {classes.map(({ name, label }) => (
        <tr key={name}>
          <td>{label}</td>
          <Prices usd={perMillionTokens[name]} rub={perMillionTokensRub[name]} />
        </tr>
      ))}
    </PriceTable>
  );
}

const tokenClasses = ['prompt', 'cachedPrompt', 'cacheWrite', 'completion', 'reasoning'] as const;
const classTexts = {
  prompt: 'input',
  cachedPrompt: 'cachedInput',
  cacheWrite: 'cacheWrite',
  completion: 'output',
  reasoning: 'reasoning',
} as const;

/** What costs something else for long prompts and at other service tiers. */
export function RatePrices({ model }: { model: Model }) {
  const t = useTexts(modelsTexts);
  return (
    <PriceTable title={t('otherRates')} heads={[t('rate'), t('tokenClass')]}>
      {model.rates.map((rate) => {
        const { perMillionTokens, perMillionTokensRub, serviceTier, abovePromptTokens } = rate;
        const changed = tokenClasses.filter((name) => perMillionTokens[name] !== model.perMillionTokens[name]);
        return changed.map((name, index) => (
          <tr key={`${serviceTier} ${abovePromptTokens} ${name}`}>
            {index === 0 ? (
              <th scope="rowgroup" rowSpan={changed.length}>
                <RateName serviceTier={serviceTier} abovePromptTokens={abovePromptTokens} />
              </th>
            ) : null}
            <td>{t(classTexts[name])}</td>
            <Prices usd={perMillionTokens[name]} rub={perMillionTokensRub[name]} />
          </tr>
        ));
      })}
    </PriceTable>
  );
}

export function ImagePrices({ model }: { model: Model }) {
  const t = useTexts(modelsTexts);
  const nameOf = (value: string) => (value === 'default' ? t('anyOther') : value);
  return (
    <PriceTable title={t('perImage')} heads={[t('size'), t('quality')]}>
      {model.perImage.map(({ size, quality, price, priceRub }) => (
        <tr key={`${size} ${quality}`}>
          <td className={size === 'default' ? undefined : 'amount'}>{nameOf(size)}</td>
          <td>{nameOf(quality)}</td>
          <Prices usd={price} rub={priceRub} />
        </tr>
      ))}
    </PriceTable>
  );
}

interface PriceTableProps {
  readonly title: string;
  /** Of the columns before the prices. */
  readonly heads: readonly string[];
  readonly children: ReactNode;
}

function PriceTable({ title, heads, children }: PriceTableProps) {
  const t = useTexts(modelsTexts);
  const id = useId();
  return (
    <section>
      <Title order={3} size="h5" id={id} mb={4}>
        {title}
      </Title>
      <table className="small-table" aria-labelledby={id}>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            <th scope="col" className="cell-number">
              {t('usd')}
            </th>
            <th scope="col" className="cell-number">
              {t('rub')}
            </th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

function Prices({ usd, rub }: { usd: string; rub: string }) {
  const language = useLanguage();
  return (
    <>
      <td className="cell-number amount">{formatUsd(usd, language)}</td>
      <td className="cell-number amount">{formatRub(rub, language, { digits: rubDigits(rub) })}</td>
    </>
  );
}
