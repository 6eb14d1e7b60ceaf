/** Texts of the profile. */
import { defineTexts } from '../app/i18n/define-texts.ts';

export const profileTexts = defineTexts('profile', {
  en: {
    title: 'Profile',
    email: 'Email',
    since: 'Member since',
    appearance: 'Appearance',
    theme: 'Theme',
    language: 'Language',
    signOut: 'Sign out',
  },
  ru: {
    title: 'Профиль',
    email: 'Почта',
    since: 'Дата регистрации',
    appearance: 'Внешний вид',
    theme: 'Тема',
    language: 'Язык',
    signOut: 'Выйти',
  },
});
