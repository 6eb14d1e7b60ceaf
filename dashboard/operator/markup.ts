/** The factor from the provider's prices to the listed ones: `× 1.2`, in Russian `× 1,2`. */
import type { Language } from '../../shared/languages.ts';
import { formatDecimal } from '../app/money/format-money.ts';

/** Of a decimal string. */
export const formatMarkup = (markup: string, language: Language): string => `× ${formatDecimal(markup, language)}`;
