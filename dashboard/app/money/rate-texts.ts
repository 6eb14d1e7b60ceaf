/** Texts of rates. */
import { defineTexts } from '../i18n/define-texts.ts';

export const rateTexts = defineTexts('rates', {
  en: {
    default: 'Standard',
    flex: 'Flex tier',
    priority: 'Priority tier',
    batch: 'Batches',
    above_one: 'prompts above {{shown}} token',
    above_other: 'prompts above {{shown}} tokens',
    onlyAbove_one: 'Prompts above {{shown}} token',
    onlyAbove_other: 'Prompts above {{shown}} tokens',
  },
  ru: {
    default: 'Обычные',
    flex: 'Тариф Flex',
    priority: 'Тариф Priority',
    batch: 'Пакеты',
    above_one: 'запрос длиннее {{shown}} токена',
    above_few: 'запрос длиннее {{shown}} токенов',
    above_many: 'запрос длиннее {{shown}} токенов',
    above_other: 'запрос длиннее {{shown}} токена',
    onlyAbove_one: 'Запрос длиннее {{shown}} токена',
    onlyAbove_few: 'Запрос длиннее {{shown}} токенов',
    onlyAbove_many: 'Запрос длиннее {{shown}} токенов',
    onlyAbove_other: 'Запрос длиннее {{shown}} токена',
  },
});
