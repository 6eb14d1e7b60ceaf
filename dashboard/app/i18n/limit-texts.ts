/**
 * What limits are called: for each row of `spend-limits.ts` its field, if it begins again what was spent in its window, its period,
 * and how a budget for it is called; and for each row of `rate-limits.ts` its name.
 */
import { defineTexts } from './define-texts.ts';

export const limitTexts = defineTexts('limits', {
  en: {
    dayField: 'Daily limit, $',
    dayPeriod: 'Day',
    dayBudget: 'daily',
    daySpent: 'Today',
    weekField: 'Weekly limit, $',
    weekPeriod: 'Week',
    weekBudget: 'weekly',
    weekSpent: 'This week',
    monthField: 'Monthly limit, $',
    monthPeriod: 'Month',
    monthBudget: 'monthly',
    monthSpent: 'This month',
    totalField: 'Total limit, $',
    totalPeriod: 'In total',
    totalBudget: 'total',
    requestsPerMinute: 'Requests per minute',
    tokensPerMinute: 'Tokens per minute',
    concurrentStreams: 'Concurrent requests',
  },
  ru: {
    dayField: 'Лимит в день, $',
    dayPeriod: 'День',
    dayBudget: 'на день',
    daySpent: 'Сегодня',
    weekField: 'Лимит в неделю, $',
    weekPeriod: 'Неделя',
    weekBudget: 'на неделю',
    weekSpent: 'Эта неделя',
    monthField: 'Лимит в месяц, $',
    monthPeriod: 'Месяц',
    monthBudget: 'на месяц',
    monthSpent: 'Этот месяц',
    totalField: 'Общий лимит, $',
    totalPeriod: 'Всё время',
    totalBudget: 'на всё время',
    requestsPerMinute: 'Запросов в минуту',
    tokensPerMinute: 'Токенов в минуту',
    concurrentStreams: 'Одновременных запросов',
  },
});
