/** Texts of the overview. */
import { defineTexts } from '../app/i18n/define-texts.ts';

export const overviewTexts = defineTexts('overview', {
  en: {
    title: 'Overview',
    balance: 'Balance',
    available: 'Available',
    availableDetail: 'For new requests',
    reserved: 'Reserved',
    reservedDetail: 'By requests in flight',
  },
  ru: {
    title: 'Обзор',
    balance: 'Баланс',
    available: 'Доступно',
    availableDetail: 'Для новых запросов',
    reserved: 'Зарезервировано',
    reservedDetail: 'Под текущие запросы',
  },
});
