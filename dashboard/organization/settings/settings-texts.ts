/** Texts of the settings of an organization that are more than its name and time zone. */
import { defineTexts } from '../../app/i18n/define-texts.ts';

export const settingsTexts = defineTexts('organization-settings', {
  en: {
    addresses: 'Allowed IP addresses',
    addressesText:
      'Requests with API keys are accepted only from these addresses; everything else is refused and costs nothing. An empty list allows any address. The dashboard stays open from anywhere, but its playground sends requests from your browser.',
    addressesField: 'Addresses and networks',
    addressesHint: 'One a line',
    addressExcluded:
      'The list does not include your own address, {{address}}. Keys do not work from where you are now, nor does the playground.',
    addressUnknown:
      'The gateway cannot tell your own address. Where it cannot, requests with API keys are refused while there is a list: ask its operator.',
  },
  ru: {
    addresses: 'Разрешённые IP-адреса',
    addressesText:
      'Запросы с API-ключами принимаются только с этих адресов; остальные отклоняются и ничего не стоят. Пустой список разрешает любой адрес. Личный кабинет доступен отовсюду, но песочница отправляет запросы из вашего браузера.',
    addressesField: 'Адреса и сети',
    addressesHint: 'По одной записи в строке',
    addressExcluded:
      'В списке нет вашего адреса {{address}}. Оттуда, где вы сейчас, ключи не работают, и песочница тоже.',
    addressUnknown:
      'Шлюз не может определить ваш адрес. Если адрес неизвестен, запросы с API-ключами при заданном списке отклоняются: обратитесь к оператору шлюза.',
  },
});
