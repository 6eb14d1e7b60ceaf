/** What the classes of tokens are called, and what is counted one by one. */
import { defineTexts } from '../i18n/define-texts.ts';

export const tokenClassTexts = defineTexts('tokenClasses', {
  en: {
    prompt: 'Input',
    cachedPrompt: 'Cached input',
    cacheWrite: 'Cache write',
    cacheWrite1h: 'Cache write, 1 hour',
    completion: 'Output',
    reasoning: 'Reasoning',
    request: 'Each request',
    character: 'Each character',
    second: 'Each second of audio',
  },
  ru: {
    prompt: 'Вход',
    cachedPrompt: 'Вход из кэша',
    cacheWrite: 'Запись в кэш',
    cacheWrite1h: 'Запись в кэш на час',
    completion: 'Выход',
    reasoning: 'Рассуждения',
    request: 'Каждый запрос',
    character: 'Каждый символ',
    second: 'Каждая секунда звука',
  },
});
