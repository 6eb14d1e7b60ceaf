/** Texts of the question for a second factor, when signing in and when confirming. */
import { defineTexts } from '../i18n/define-texts.ts';

export const factorTexts = defineTexts('second-factor', {
  en: {
    code: 'Code',
    codeHint: 'Six digits from your authenticator app',
    codeMissing: 'Enter the code',
    recoveryCode: 'Recovery code',
    recoveryHint: 'One of the ten that you saved. Each works once.',
    useRecoveryCode: 'Use a recovery code',
    useApp: 'Use the authenticator app',
    usePasskey: 'Use passkey',
    noPasskeys: 'This browser cannot use your passkey here. Use another browser or device.',
  },
  ru: {
    code: 'Код',
    codeHint: 'Шесть цифр из приложения для кодов',
    codeMissing: 'Введите код',
    recoveryCode: 'Резервный код',
    recoveryHint: 'Один из десяти сохранённых. Каждый действует один раз.',
    useRecoveryCode: 'Ввести резервный код',
    useApp: 'Ввести код из приложения',
    usePasskey: 'Использовать ключ доступа',
    noPasskeys: 'Этот браузер не может использовать ваш ключ доступа. Откройте другой браузер или устройство.',
  },
});
