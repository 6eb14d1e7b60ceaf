/** Texts of the billing page. */
import { defineTexts } from '../app/i18n/define-texts.ts';

export const billingTexts = defineTexts('billing', {
  en: {
    title: 'Billing',
    text: 'Top up your balance and see your payments.',
    topUp: 'Top up',
    balance: 'Balance',
    payments: 'Payments',
    documents: 'Documents',
    automatic: 'Automatic top-up',
    ordered: 'Ordered',
    emptyTitle: 'No payments yet',
    emptyText:
      'Requests are paid from your balance. Top it up by card or by bank transfer, and each payment appears here.',
    payment: 'Payment',
    waitingTitle: 'Waiting for the payment',
    waitingText:
      'Your balance is topped up as soon as the payment arrives, usually within seconds. This page updates by itself.',
    continuePayment: 'Continue to payment',
    invoiceTitle: 'Waiting for the transfer',
    invoiceText:
      'Transfer {{amount}} and put the invoice number in the payment purpose. Your balance is topped up once the transfer arrives.',
    receivedTitle: 'Payment received',
    receivedText: 'Your balance is now {{balance}}.',
    failedTitle: 'The payment did not go through',
    failedText: 'Nothing was charged. Try again, or choose another method.',
    expiredText: 'It was not paid in time. Start a new top-up.',
    reviewTitle: 'We are checking this payment',
    reviewText:
      'Something about it does not match. We check it by hand, usually within one business day. No money is lost.',
    again: 'Top up again',
  },
  ru: {
    title: 'Оплата',
    text: 'Пополнение баланса и история платежей.',
    topUp: 'Пополнить',
    balance: 'Баланс',
    payments: 'Платежи',
    documents: 'Документы',
    automatic: 'Автопополнение',
    ordered: 'Создан',
    emptyTitle: 'Платежей пока нет',
    emptyText: 'Запросы оплачиваются с баланса. Пополните его картой или банковским переводом: платежи появятся здесь.',
    payment: 'Платёж',
    waitingTitle: 'Ждём оплату',
    waitingText: 'Баланс пополнится, как только платёж поступит, обычно за несколько секунд. Страница обновится сама.',
    continuePayment: 'Перейти к оплате',
    invoiceTitle: 'Ждём перевод',
    invoiceText:
      'Переведите {{amount}} и укажите в назначении номер счёта. Баланс пополнится, когда банк зачислит деньги.',
    receivedTitle: 'Платёж получен',
    receivedText: 'Теперь на балансе {{balance}}.',
    failedTitle: 'Платёж не прошёл',
    failedText: 'Деньги не списаны. Попробуйте ещё раз или выберите другой способ.',
    expiredText: 'Заказ не оплатили вовремя. Создайте новый, чтобы пополнить баланс.',
    reviewTitle: 'Мы проверяем этот платёж',
    reviewText: 'В нём что-то не сходится. Мы разберёмся вручную, обычно за рабочий день. Деньги не пропадут.',
    again: 'Пополнить снова',
  },
});
