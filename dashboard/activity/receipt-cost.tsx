/** How what was used becomes the charge: each part, their sum, the rounding, and what was charged. */
import { Text, VisuallyHidden } from '@mantine/core';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { AlignedUsd } from '../app/money/aligned-usd.tsx';
import { formatUsd, signOf } from '../app/money/format-money.ts';
import { unitOfPrice } from '../app/money/priced-units.ts';
import { usePriceName, useUnitWords } from '../app/money/unit-words.ts';
import { formatCount } from '../app/time/format-time.ts';
import { activityTexts } from './activity-texts.ts';
import type { Receipt } from './queries.ts';

type Cost = Receipt['cost'];

export function ReceiptCost({ cost }: { cost: Cost }) {
  const t = useTexts(activityTexts);
  const nameOf = usePriceName();
  const { heading } = useUnitWords();
  const language = useLanguage();
  const { parts, images, units, exact, rounding, total, uncharged, charged } = cost;
  const shown = parts.filter(({ tokens }) => tokens > 0);
  const prices = shown.map(({ perMillionTokens }) => perMillionTokens);
  const amounts = [
    ...[...shown, ...units].map(({ amount }) => amount),
    images?.amount ?? '0',
    exact,
    rounding,
    total,
    uncharged,
  ];
  return (
    <table className="receipt-cost" aria-label={t('costHeading')}>
      <thead>
        <tr>
          <th scope="col">
            <VisuallyHidden>{t('part')}</VisuallyHidden>
          </th>
          <th scope="col">{shown.length > 0 ? t('tokens') : t('count')}</th>
          <th scope="col">{shown.length > 0 ? t('perMillion') : t('price')}</th>
          <th scope="col">{t('amount')}</th>
        </tr>
      </thead>
      <tbody>
        {shown.map((part) => (
          <tr key={part.class}>
            <th scope="row">{nameOf(part.class)}</th>
            <td>{formatCount(part.tokens, language)}</td>
            <td>
              <AlignedUsd amount={part.perMillionTokens} among={prices} />
            </td>
            <td>
              <AlignedUsd amount={part.amount} among={amounts} />
            </td>
          </tr>
        ))}
        {images === null ? null : (
          <tr>
            <th scope="row">{t('imagePart', { size: images.size, quality: images.quality })}</th>
            <td>{formatCount(images.count, language)}</td>
            <td>{t('perImage', { price: formatUsd(images.perImage, language) })}</td>
            <td>
              <AlignedUsd amount={images.amount} among={amounts} />
            </td>
          </tr>
        )}
        {units.map(({ unit, count, price, amount }) => (
          <tr key={unit}>
            <th scope="row">{heading(unitOfPrice(unit).name)}</th>
            <td>{formatCount(count, language)}</td>
            <td>{t('perImage', { price: formatUsd(price, language) })}</td>
            <td>
              <AlignedUsd amount={amount} among={amounts} />
            </td>
          </tr>
        ))}
      </tbody>
      <tbody className="receipt-sums">
        <Sum label={t('sum')} amount={exact} among={amounts} />
        <Sum label={t('rounding')} note={t('roundingText')} amount={rounding} among={amounts} isSigned />
        <Sum label={t('total')} amount={total} among={amounts} isStrong />
        {signOf(uncharged) === 0 ? null : (
          <>
            <Sum label={t('uncharged')} note={t('unchargedText')} amount={`-${uncharged}`} among={amounts} isSigned />
            <Sum label={t('chargedTotal')} amount={charged} among={amounts} isStrong />
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
  readonly among: readonly string[];
  readonly isStrong?: boolean;
  readonly isSigned?: boolean;
}

function Sum({ label, note, amount, among, isStrong = false, isSigned = false }: SumProps) {
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
        <AlignedUsd amount={amount} among={among} signed={isSigned} />
      </td>
    </tr>
  );
}
