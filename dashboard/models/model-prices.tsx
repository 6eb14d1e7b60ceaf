/** All prices of a model, in dollars and roubles. */
import { Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { type KindOfModel, kinds } from '../../shared/catalogue/model-kinds.ts';
import { changedUnits } from '../../shared/usage/billable-units.ts';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { formatRub, formatUsd } from '../app/money/format-money.ts';
import { isOfOutput, shownClasses, shownPrice, tokenClasses } from '../app/money/priced-units.ts';
import { RateName } from '../app/money/rate-name.tsx';
import { usePriceName, useUnitWords } from '../app/money/unit-words.ts';
import type { Model } from './model.ts';
import { rubDigits } from './model-cells.tsx';
import { modelsTexts } from './models-texts.ts';

export function TokenPrices({ model }: { model: Model }) {
  const t = useTexts(modelsTexts);
  const nameOf = usePriceName();
  const { kind, perMillionTokens, perMillionTokensRub, maxOutputTokens } = model;
  const { tokenPrices: charged = tokenClasses }: KindOfModel = kinds[kind];
  const shown = shownClasses(perMillionTokens).filter(
    (name) => charged.includes(name) && (maxOutputTokens > 0 || !isOfOutput(name)),
  );
  return (
    <PriceTable title={t('perMillion')} heads={[t('tokenClass')]}>
      {shown.map((name) => (
        <tr key={name}>
          <td>{nameOf(name)}</td>
          <Prices usd={perMillionTokens[name]} rub={perMillionTokensRub[name]} />
        </tr>
      ))}
    </PriceTable>
  );
}

/** What costs something else for long prompts and at other service tiers. */
export function RatePrices({ model }: { model: Model }) {
  const t = useTexts(modelsTexts);
  const nameOf = usePriceName();
  return (
    <PriceTable title={t('otherRates')} heads={[t('rate'), t('tokenClass')]}>
      {model.rates.map((rate) => {
        const { perMillionTokens, perMillionTokensRub, serviceTier, abovePromptTokens } = rate;
        const changed = changedUnits(perMillionTokens, model.perMillionTokens).map(({ price }) => price);
        return changed.map((name, index) => (
          <tr key={`${serviceTier} ${abovePromptTokens} ${name}`}>
            {index === 0 ? (
              <th scope="rowgroup" rowSpan={changed.length}>
                <RateName serviceTier={serviceTier} abovePromptTokens={abovePromptTokens} />
              </th>
            ) : null}
            <td>{nameOf(name)}</td>
            <Prices usd={perMillionTokens[name]} rub={perMillionTokensRub[name]} />
          </tr>
        ));
      })}
    </PriceTable>
  );
}

/** What is counted one by one. */
export function UnitPrices({ model }: { model: Model }) {
  const t = useTexts(modelsTexts);
  const words = useUnitWords();
  return (
    <PriceTable title={t('perUnit')} heads={[t('price')]}>
      {model.perUnit.map(({ unit, price, priceRub }) => (
        <tr key={unit}>
          <td>{words.quantity(unit)}</td>
          <Prices usd={shownPrice(unit, price)} rub={shownPrice(unit, priceRub)} />
        </tr>
      ))}
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
