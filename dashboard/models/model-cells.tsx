/**
 * What the rows of the list show: USD first, roubles below. There are hundreds of cells, so they are plain elements, and
 * the table gives them the language.
 */
import { type MouseEvent, type ReactNode, useRef } from 'react';
import type { Language } from '../../shared/languages.ts';
import { CopyIcon } from '../app/components/copy-icon.tsx';
import { Status } from '../app/components/status.tsx';
import type { Translate } from '../app/i18n/use-texts.ts';
import { compareDecimals } from '../app/money/decimal.ts';
import { formatRub, formatUsd } from '../app/money/format-money.ts';
import { isPaidInstead, shownPrice } from '../app/money/priced-units.ts';
import type { UnitWords } from '../app/money/unit-words.ts';
import { formatDay } from '../app/time/format-time.ts';
import type { Model } from './model.ts';
import type { modelsTexts } from './models-texts.ts';
import type { PricedModel } from './select-models.ts';

export type TranslateModels = Translate<NonNullable<(typeof modelsTexts)['key']>>;

export interface CellTexts {
  readonly t: TranslateModels;
  readonly words: UnitWords;
  readonly language: Language;
}

/** Below a rouble, kopecks would hide most of a price. */
export const rubDigits = (amount: string) => (compareDecimals(amount, '1') < 0 ? 'exact' : 'cents');

interface ModelNameProps extends CellTexts {
  readonly model: Model;
  readonly href: string;
  readonly onOpen: (id: string) => void;
}

export function ModelName({ model, href, onOpen, t, language }: ModelNameProps) {
  const { id, ownedBy, kind, retiresAt } = model;
  const link = useRef<HTMLAnchorElement>(null);
  const open = (event: MouseEvent) => {
    // The browser opens a new tab or window itself.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onOpen(id);
  };
  return (
    <div className="model-name">
      <span className="model-id">
        <a ref={link} href={href} onClick={open} className="mono">
          {id}
        </a>
        <CopyIcon label={t('copyId', { id })} value={id} shownIn={() => link.current} />
      </span>
      <Below>
        {ownedBy} · {t(kind)}
      </Below>
      {retiresAt === null ? null : (
        <Below>
          <Status tone="warning">{t('retiresOn', { day: formatDay(retiresAt, language) })}</Status>
        </Below>
      )}
    </div>
  );
}

interface PriceCellProps extends CellTexts {
  readonly model: Model;
  readonly name: 'prompt' | 'cachedPrompt' | 'completion';
}

export function PriceCell({ model, name, t, words, language }: PriceCellProps) {
  const { perImage, perUnit, perMillionTokens, perMillionTokensRub, maxOutputTokens } = model;
  const [firstImage, ...otherImages] = perImage;
  if (firstImage !== undefined) {
    if (name !== 'completion') return none;
    const least = otherImages.reduce(
      (one, other) => (compareDecimals(one.price, other.price) < 0 ? one : other),
      firstImage,
    );
    return <PricePer unit={t('anImage')}>{t('fromPrice', { price: formatUsd(least.price, language) })}</PricePer>;
  }
  const instead = perUnit.find(isPaidInstead);
  if (instead !== undefined) {
    if (name !== 'prompt') return none;
    const { unit, price } = instead;
    return <PricePer unit={words.per(unit)}>{formatUsd(shownPrice(unit, price), language)}</PricePer>;
  }
  if (name === 'completion' && maxOutputTokens === 0) return none;
  return <Both usd={perMillionTokens[name]} rub={perMillionTokensRub[name]} language={language} />;
}

export function CostCell({ row: { estimate }, t, language }: { row: PricedModel } & CellTexts) {
  if (estimate === undefined) return none;
  if (estimate.isTooLong) return <Below>{t('tooLong')}</Below>;
  return <Both usd={estimate.perMonth} rub={estimate.perMonthRub} language={language} />;
}

function PricePer({ unit, children }: { unit: string; children: string }) {
  return (
    <div>
      <div className="amount">{children}</div>
      <Below>{unit}</Below>
    </div>
  );
}

function Both({ usd, rub, language }: { usd: string; rub: string; language: Language }) {
  return (
    <div>
      <div className="amount">{formatUsd(usd, language)}</div>
      <Below>
        <span className="amount">{formatRub(rub, language, { digits: rubDigits(rub) })}</span>
      </Below>
    </div>
  );
}

const Below = ({ children }: { children: ReactNode }) => <div className="model-below">{children}</div>;

const none = <span className="model-below">–</span>;
