/**
 * What limits are called: for each row of `spend-limits.ts` its field and, if it begins again, what was spent in its window,
 * and for each row of `rate-limits.ts` its name.
 */
import { defineTexts } from './define-texts.ts';

export const limitTexts = defineTexts('limits', {
  en: {
    dayField: 'Daily limit, $',
    daySpent: 'Today',
    weekField: 'Weekly limit, $',
    weekSpent: 'This week',
    monthField: 'Monthly limit, $',
    monthSpent: 'This month',
    totalField: 'Total limit, $',
    requestsPerMinute: 'Requests per minute',
    tokensPerMinute: 'Tokens per minute',
    concurrentStreams: 'Concurrent requests',
  },
  ru: {
    dayField: 'Лимит в день, $',
    daySpent: 'Сегодня',
    weekField: 'Лимит в неделю, $',
    weekSpent: 'Эта неделя',
    monthField: 'Лимит в месяц, $',
    monthSpent: 'Этот месяц',
    totalField: 'Общий лимит, $',
    requestsPerMinute: 'Запросов в минуту',
    tokensPerMinute: 'Токенов в минуту',
    concurrentStreams: 'Одновременных запросов',
  },
});
