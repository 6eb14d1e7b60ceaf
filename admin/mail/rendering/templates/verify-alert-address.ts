/** A customer wants the low-balance alerts of their account to go to this address too. */
import type { MailData } from '../../mail.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';
import { linkMail } from './link-mail.ts';

const words = {
  en: {
    subject: 'Confirm that you want low-balance alerts',
    preheader: 'Nothing is sent to you unless you confirm.',
    text: (brandName: string, account: string) =>
      `${account} has asked ${brandName} to send the low-balance alerts of their account to this address too. Please confirm that you want to get them.`,
    button: 'Get the alerts',
    notes: (instant: string) => [
      `The link works once and expires on ${instant}. If you don’t want the alerts, ignore this email. Every alert has a link that stops them.`,
    ],
    why: 'You received this email because your address was entered for the alerts of an account.',
  },
  ru: {
    subject: 'Подтвердите, что хотите получать оповещения о балансе',
    preheader: 'Без вашего согласия мы ничего не пришлём.',
    text: (brandName: string, account: string) =>
      `Владелец аккаунта ${account} попросил ${brandName} отправлять оповещения о низком балансе и на этот адрес. Подтвердите, пожалуйста, что хотите их получать.`,
    button: 'Получать оповещения',
    notes: (instant: string) => [
      `Ссылка действует один раз, до ${instant}. Если оповещения вам не нужны, не обращайте внимания на это письмо. В каждом оповещении есть ссылка, чтобы от них отказаться.`,
    ],
    why: 'Вы получили это письмо, потому что ваш адрес указали для оповещений аккаунта.',
  },
};

export function verifyAlertAddressMail(data: MailData['verify_alert_address'], context: TemplateContext): MailMessage {
  const say = words[context.language];
  return linkMail(data, { ...say, text: (brandName) => say.text(brandName, data.accountEmail) }, context);
}
