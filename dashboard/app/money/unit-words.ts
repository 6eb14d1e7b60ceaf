/** What is paid for, in words. What the API adds later keeps the name that the API gives it. */

import { useMemo } from 'react';
import type { EachPrice, EachUnit, UnitInstead } from '../../../shared/usage/billable-units.ts';
import { useLanguage, useTexts } from '../i18n/use-texts.ts';
import { formatCount } from '../time/format-time.ts';
import { pricedUnits } from './priced-units.ts';
import { unitTexts } from './unit-texts.ts';

/** Of a class of tokens, or of something else that has one price. */
export function usePriceName(): (name: string) => string {
  const t = useTexts(unitTexts);
  return (name) => {
    const known = pricedUnits.find((each) => each === name);
    return known === undefined ? name : t(known);
  };
}

export interface UnitWords {
  /** Above counts of it. */
  heading(name: EachUnit | UnitInstead): string;
  /** `1,200 characters` */
  counted(name: UnitInstead, count: number): string;
  /** `A million characters`: what `shownPrice` is the price of. */
  quantity(price: EachPrice): string;
  /** `a million characters`: the same, after a price. */
  per(price: EachPrice): string;
}

export function useUnitWords(): UnitWords {
  const t = useTexts(unitTexts);
  const language = useLanguage();
  return useMemo(
    () => ({
      heading: (name) => t(`${name}Heading`),
      counted: (name, count) => t(`${name}Counted`, { count, shown: formatCount(count, language) }),
      quantity: (price) => t(`${price}Quantity`),
      per: (price) => t(`${price}Per`),
    }),
    [t, language],
  );
}
