/** Texts of the page behind the link of an invitation. */
import { defineTexts } from '../../app/i18n/define-texts.ts';

export const invitationTexts = defineTexts('invitation', {
  en: {
    title: 'Join {{name}}',
    text: '{{email}} is invited. Role: {{role}}.',
    loading: 'Opening the invitation',
    failedTitle: 'The invitation cannot be opened',
    toDashboard: 'Go to the dashboard',
    name: 'Name',
    nameHint: 'Optional. Your colleagues see it.',
    join: 'Join',
    signInFirst: 'You have an account with this address. Sign in to join.',
    otherAddress: 'You are signed in as {{email}}. Sign out to join with the invited address.',
    signOut: 'Sign out',
  },
  ru: {
    title: 'Присоединиться к {{name}}',
    text: 'Приглашение для {{email}}. Роль: {{role}}.',
    loading: 'Открываем приглашение',
    failedTitle: 'Приглашение не открылось',
    toDashboard: 'Перейти в кабинет',
    name: 'Имя',
    nameHint: 'Необязательно. Его увидят коллеги.',
    join: 'Присоединиться',
    signInFirst: 'У вас уже есть аккаунт с этим адресом. Войдите, чтобы присоединиться.',
    otherAddress: 'Вы вошли как {{email}}. Выйдите, чтобы присоединиться с приглашённым адресом.',
    signOut: 'Выйти',
  },
});
