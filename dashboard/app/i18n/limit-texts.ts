/**
 * What limits are called: for each row of `spend-limits.ts` its field and, if it begins again, what was spent in its window,
 * and for each row of `rate-limits.ts` its name.
 */
import { defineTexts } from './define-texts.ts';

export const limitTexts = defineTexts('limits', {
  en: {
    dayField: 'Daily limit, $',
    daySpent: 'Today (UTC)',
    monthField: 'Monthly limit, $',
    monthSpent: 'Month (UTC)',
    totalField: 'Total limit, $',
    requestsPerMinute: 'Requests per minute',
    tokensPerMinute: 'Tokens per minute',
    concurrentStreams: 'Concurrent requests',
  },
  ru: {
    dayField: 'Лимит в день, $',
    daySpent: 'Сегодня (UTC)',
    monthField: 'Лимит в месяц, $',
    monthSpent: 'Месяц (UTC)',
    totalField: 'Общий лимит, $',
    requestsPerMinute: 'Запросов в минуту',
    tokensPerMinute: 'Токенов в минуту',
    concurrentStreams: 'Одновременных запросов',
  },
});
