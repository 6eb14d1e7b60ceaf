/** Texts of the sign-in rules of the organization. */
import { defineTexts } from '../../app/i18n/define-texts.ts';

export const signInRuleTexts = defineTexts('sign-in-rules', {
  en: {
    twoFactors: 'Two factors',
    twoFactorsText:
      'A password alone can be guessed or stolen. An authenticator app or a passkey makes it useless to others.',
    requireTwoFactors: 'Require two factors',
    requireHint:
      'Takes effect immediately. Members without a second factor see only their profile until they set one up. API keys continue to work.',
    without_one: '{{count}} member has no second factor',
    without_other: '{{count}} members have no second factor',
    allHave: 'Every member has a second factor',
    setUpOwn: 'Set up yours in your profile',
    required: 'Two factors are now required.',
    notRequired: 'Two factors are no longer required.',
  },
  ru: {
    twoFactors: 'Двухфакторная защита',
    twoFactorsText:
      'Пароль можно подобрать или украсть. С приложением для кодов или ключом доступа он посторонним бесполезен.',
    requireTwoFactors: 'Требовать двухфакторную защиту',
    requireHint:
      'Действует сразу. Участникам без защиты доступен только профиль, пока они её не подключат. API-ключи продолжают работать.',
    without_one: '{{count}} участник без защиты',
    without_few: '{{count}} участника без защиты',
    without_many: '{{count}} участников без защиты',
    without_other: '{{count}} участника без защиты',
    allHave: 'Защита есть у всех участников',
    setUpOwn: 'Подключить свою в профиле',
    required: 'Двухфакторная защита теперь обязательна.',
    notRequired: 'Двухфакторная защита больше не обязательна.',
  },
});
