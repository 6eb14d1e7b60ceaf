/** Texts of the first steps. */
import { defineTexts } from '../../app/i18n/define-texts.ts';

export const firstStepsTexts = defineTexts('first-steps', {
  en: {
    steps: 'First steps',
    done: 'Done',
    keyTitle: 'Create a key',
    keyText: 'Programs send it with every request.',
    keyDone: 'You have a key. If you did not keep it, create another one.',
    keyMade: 'The snippet below uses the key that you have just created.',
    createKey: 'Create key',
    snippetTitle: 'Copy the snippet',
    snippetText:
      'It sends a request to {{model}} at your gateway’s address. Any client for OpenAI works with this address and your key.',
    noKeyText: 'Put your key in place of {{placeholder}}.',
    language: 'Language',
    copy: 'Copy',
    copied: 'Copied',
    copyByHand:
      'The browser does not allow copying here. The snippet is shown with your key: select it and press Ctrl+C.',
    copiesKey: 'Copying includes the whole key.',
    requestTitle: 'See the request arrive',
    waiting: 'Waiting for your first request. This page updates by itself.',
    notVerified:
      'First confirm your email: follow the link in the email that we sent you. Until then, requests are refused.',
    noCredit: 'Your balance is empty, so requests are refused. Top it up first.',
    topUp: 'Top up',
    arrived_one: 'It has arrived: {{model}}, {{tokens}} token.',
    arrived_other: 'It has arrived: {{model}}, {{tokens}} tokens.',
    showReceipt: 'Show its receipt',
    toOverview: 'Go to the overview',
  },
  ru: {
    steps: 'Первые шаги',
    done: 'Готово',
    keyTitle: 'Создайте ключ',
    keyText: 'Программы передают его с каждым запросом.',
    keyDone: 'Ключ у вас есть. Если вы его не сохранили, создайте ещё один.',
    keyMade: 'В примере ниже — ключ, который вы только что создали.',
    createKey: 'Создать ключ',
    snippetTitle: 'Скопируйте пример',
    snippetText:
      'Он отправляет запрос к {{model}} по адресу вашего шлюза. С этим адресом и ключом работает любой клиент для OpenAI.',
    noKeyText: 'Вместо {{placeholder}} подставьте свой ключ.',
    language: 'Язык',
    copy: 'Копировать',
    copied: 'Скопировано',
    copyByHand: 'Браузер не даёт копировать. Пример показан вместе с ключом: выделите его и нажмите Ctrl+C.',
    copiesKey: 'Копируется с полным ключом.',
    requestTitle: 'Дождитесь запроса',
    waiting: 'Ждём ваш первый запрос. Страница обновится сама.',
    notVerified:
      'Сначала подтвердите почту по ссылке из письма, которое мы отправили. До этого запросы не принимаются.',
    noCredit: 'На балансе пусто, поэтому запросы не принимаются. Сначала пополните его.',
    topUp: 'Пополнить',
    arrived_one: 'Запрос пришёл: {{model}}, {{tokens}} токен.',
    arrived_few: 'Запрос пришёл: {{model}}, {{tokens}} токена.',
    arrived_many: 'Запрос пришёл: {{model}}, {{tokens}} токенов.',
    arrived_other: 'Запрос пришёл: {{model}}, {{tokens}} токена.',
    showReceipt: 'Показать детализацию',
    toOverview: 'Перейти к обзору',
  },
});
