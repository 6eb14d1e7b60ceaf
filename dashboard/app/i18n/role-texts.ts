/** What the roles in an organization are called, and what each may do. */
import { defineTexts } from './define-texts.ts';

export const roleTexts = defineTexts('roles', {
  en: {
    owner: 'Owner',
    ownerMay: 'Everything, including other owners and the deletion of the organization',
    admin: 'Admin',
    adminMay: 'Members, projects, budgets and all keys; sees usage and payments',
    finance: 'Finance',
    financeMay: 'Payments, documents and company details; sees all usage',
    member: 'Member',
    memberMay: 'Their own keys and what these are used for; sees the balance',
    auditor: 'Auditor',
    auditorMay: 'Sees everything, changes nothing',
  },
  ru: {
    owner: 'Владелец',
    ownerMay: 'Всё, в том числе другие владельцы и удаление организации',
    admin: 'Администратор',
    adminMay: 'Участники, проекты, бюджеты и все ключи; видит расходы и платежи',
    finance: 'Финансы',
    financeMay: 'Платежи, документы и реквизиты; видит все расходы',
    member: 'Участник',
    memberMay: 'Свои ключи и расходы по ним; видит баланс',
    auditor: 'Аудитор',
    auditorMay: 'Видит всё, ничего не меняет',
  },
});
