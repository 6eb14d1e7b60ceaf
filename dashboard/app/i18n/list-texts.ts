/** Texts that lists share: the field for a range of days, and the download. */
import { defineTexts } from './define-texts.ts';

export const listTexts = defineTexts('list', {
  en: {
    exportCsv: 'Export CSV',
    exported: '{{size}} MB received',
    period: 'Period',
    clear: 'Clear the period',
    today: 'Today',
    yesterday: 'Yesterday',
    last7: 'Last 7 days',
    last30: 'Last 30 days',
    last90: 'Last 90 days',
    thisMonth: 'This month',
    lastMonth: 'Last month',
  },
  ru: {
    exportCsv: 'Скачать CSV',
    exported: 'Получено {{size}} МБ',
    period: 'Период',
    clear: 'Сбросить период',
    today: 'Сегодня',
    yesterday: 'Вчера',
    last7: '7 дней',
    last30: '30 дней',
    last90: '90 дней',
    thisMonth: 'Этот месяц',
    lastMonth: 'Прошлый месяц',
  },
});
