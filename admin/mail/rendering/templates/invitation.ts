/** Someone invites the recipient to their organization. */
import type { MailData } from '../../mail.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';
import { linkMail } from './link-mail.ts';

type Invitation = MailData['invitation'];

const words = {
  en: {
    subject: 'You are invited to an organization',
    preheader: 'Its members share API keys and a balance.',
    text: (brandName: string, { invitedBy, organization }: Invitation, role: string) =>
      `${invitedBy} invites you to join ${organization} on ${brandName} as ${role}.`,
    roles: {
      owner: 'an owner, who may do everything',
      admin: 'an admin, who manages members and all API keys',
      finance: 'finance, who manages payments and documents',
      member: 'a member, who manages API keys of their own',
      auditor: 'an auditor, who sees everything and changes nothing',
    },
    button: 'Accept the invitation',
    notes: (instant: string) => [
      `The link works once and expires on ${instant}. If you don’t know who invites you, ignore this email.`,
    ],
    why: 'You received this email because someone invited this address to their organization.',
  },
  ru: {
    subject: 'Вас приглашают в организацию',
    preheader: 'Её участники пользуются общим балансом.',
    text: (brandName: string, { invitedBy, organization }: Invitation, role: string) =>
      `${invitedBy} приглашает вас в организацию ${organization} в ${brandName}. Ваша роль: ${role}.`,
    roles: {
      owner: 'владелец, может всё',
      admin: 'администратор, управляет участниками и всеми ключами API',
      finance: 'финансист, управляет платежами и документами',
      member: 'участник, управляет своими ключами API',
      auditor: 'аудитор, видит всё и ничего не меняет',
    },
    button: 'Принять приглашение',
    notes: (instant: string) => [
      `Ссылка действует один раз, до ${instant}. Если вы не знаете того, кто вас приглашает, не обращайте внимания на это письмо.`,
    ],
    why: 'Вы получили это письмо, потому что этот адрес пригласили в организацию.',
  },
};

export function invitationMail(data: Invitation, context: TemplateContext): MailMessage {
  const say = words[context.language];
  const organization = withoutLinks(data.organization);
  const text = (brandName: string) => say.text(brandName, { ...data, organization }, say.roles[data.role]);
  return linkMail(data, { ...say, text }, context);
}

/** Strangers choose the name, and mail programs make a link of anything like an address: what joins its parts gets a WORD JOINER. */
function withoutLinks(name: string): string {
  return name.replace(/[.:/@](?=\S)/g, '$&\u2060');
}
