/** Texts of the audit log of the organization; it shares the rest with the operators' log. */
import { defineTexts } from '../../app/i18n/define-texts.ts';

export const auditLogTexts = defineTexts('organization-audit', {
  en: {
    description: 'Who changed what in the organization. Entries cannot be changed or deleted.',
    support: 'Support',
    billingKey: 'Billing key {{id}}',
    account: 'Organization',
    key: 'Key {{id}}',
    project: 'Project {{id}}',
    user: 'User {{id}}',
    invitation: 'Invitation {{id}}',
    payment: 'Payment {{id}}',
    document: 'Document {{id}}',
    alertAddress: 'Alert address {{id}}',
    request: 'Request {{id}}',
    mail: 'Email {{id}}',
    emptyText: 'Changes to keys, projects, members, payments and settings appear here, each with who made it.',
    nothingFoundText: 'There are no entries of this kind in this period.',
  },
  ru: {
    description: 'Кто и что менял в организации. Записи нельзя изменить или удалить.',
    support: 'Поддержка',
    billingKey: 'Ключ управления {{id}}',
    account: 'Организация',
    key: 'Ключ {{id}}',
    project: 'Проект {{id}}',
    user: 'Пользователь {{id}}',
    invitation: 'Приглашение {{id}}',
    payment: 'Платёж {{id}}',
    document: 'Документ {{id}}',
    alertAddress: 'Адрес для уведомлений {{id}}',
    request: 'Запрос {{id}}',
    mail: 'Письмо {{id}}',
    emptyText: 'Здесь появятся изменения ключей, проектов, участников, платежей и настроек и те, кто их внёс.',
    nothingFoundText: 'За этот период таких действий не было.',
  },
});
