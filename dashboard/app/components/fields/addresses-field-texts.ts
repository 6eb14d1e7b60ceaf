/** Texts of the field for IP addresses. */
import { defineTexts } from '../../i18n/define-texts.ts';

export const addressesFieldTexts = defineTexts('addresses-field', {
  en: {
    label: 'Allowed IP addresses',
    badEntry:
      '“{{entry}}” is not accepted. Enter an address such as 203.0.113.7, or a network by its first address, such as 203.0.113.0/24.',
  },
  ru: {
    label: 'Разрешённые IP-адреса',
    badEntry:
      'Запись «{{entry}}» не подходит. Введите адрес, например 203.0.113.7, или сеть по её первому адресу, например 203.0.113.0/24.',
  },
});
