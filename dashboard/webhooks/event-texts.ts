/** What the events of webhooks are called. */
import { defineTexts } from '../app/i18n/define-texts.ts';

export const eventTexts = defineTexts('webhook-events', {
  en: {
    balanceLow: 'The balance falls below the threshold',
    balanceUsedUp: 'The balance is used up',
    budgetThreshold: 'A budget reaches one of its alerts',
    budgetUsedUp: 'A budget is used up',
    paymentSucceeded: 'A payment is credited',
    paymentRefunded: 'A payment is refunded',
    paymentRestored: 'A refunded or disputed payment comes back to the balance',
    documentIssued: 'A document is issued',
    keyCreated: 'A key is created',
    keyDeleted: 'A key is deleted',
    memberJoined: 'A member joins',
    modelRetiring: 'A model that you use retires soon',
  },
  ru: {
    balanceLow: 'Баланс стал ниже порога',
    balanceUsedUp: 'Баланс закончился',
    budgetThreshold: 'Бюджет дошёл до порога предупреждения',
    budgetUsedUp: 'Бюджет исчерпан',
    paymentSucceeded: 'Платёж зачислен',
    paymentRefunded: 'Платёж возвращён',
    paymentRestored: 'Возвращённый или оспоренный платёж снова зачислен',
    documentIssued: 'Выпущен документ',
    keyCreated: 'Создан ключ',
    keyDeleted: 'Удалён ключ',
    memberJoined: 'Присоединился участник',
    modelRetiring: 'Модель, которой вы пользуетесь, скоро отключат',
  },
});
