/**
 * What a customer agrees to before a card is charged without them. The version names the words: change both together, so
 * that it is known for ever who agreed to what.
 */
import type { Language } from '../../../shared/languages.ts';

export const consentVersion = '2026-11';

/** The names in braces are replaced by the amounts of the settings. */
export const consentTexts: Readonly<Record<Language, string>> = {
  ru:
    'Я соглашаюсь на сохранение карты и на автоматические списания с неё: {amount} каждый раз, когда баланс опускается ' +
    'ниже {threshold}, не больше {dayLimit} в день и {monthLimit} в месяц. Списания проходят без моего участия, пока я ' +
    'не отключу автопополнение. Отключить его можно в любой момент в разделе оплаты.',
  en:
    'I agree that my card is saved and charged automatically: {amount} each time my balance falls below {threshold}, at ' +
    'most {dayLimit} a day and {monthLimit} a month. These charges are made without me until I switch automatic top-up ' +
    'off, which I can do at any time on the billing page.',
};

export type ConsentAmounts = Readonly<Record<'amount' | 'threshold' | 'dayLimit' | 'monthLimit', string>>;

export function consentTextOf(language: Language, amounts: ConsentAmounts): string {
  return Object.entries(amounts).reduce(
    (text, [name, amount]) => text.replace(`{${name}}`, amount),
    consentTexts[language],
  );
}
