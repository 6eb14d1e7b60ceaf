/**
 * The footer of every mail: its reason, where to change that, the support address, the sender, and the legal line.
 */
import type { Language } from '../../../shared/languages.ts';
import type { Footer, MailMessage, RenderConfig } from './mail-message.ts';

const words = {
  en: {
    settings: 'Alert settings',
    unsubscribe: 'Stop alerts to this address',
    support: 'Questions? Write to',
    sender: (name: string, from: string, to: string) => `Sent by ${name} (${from}) to ${to}.`,
  },
  ru: {
    settings: 'Настройки оповещений',
    unsubscribe: 'Больше не присылать оповещения на этот адрес',
    support: 'Есть вопросы? Напишите нам:',
    sender: (name: string, from: string, to: string) => `Отправитель: ${name} (${from}). Получатель: ${to}.`,
  },
};

interface FooterOptions {
  readonly to: string;
  readonly language: Language;
  readonly config: RenderConfig;
}

export function writeFooter(
  { why, isOptional, unsubscribeUrl }: MailMessage,
  { to, language, config }: FooterOptions,
): Footer {
  const { publicUrl, mail } = config;
  const { name, supportAddress, legalLine } = mail.brand;
  const say = words[language];
  const change =
    unsubscribeUrl === undefined
      ? { label: say.settings, url: `${publicUrl}/alerts` }
      : { label: say.unsubscribe, url: unsubscribeUrl };
  return [
    { text: why, ...(isOptional && { link: change }) },
    ...(supportAddress === undefined
      ? []
      : [{ text: say.support, link: { label: supportAddress, url: `mailto:${supportAddress}` } }]),
    { text: say.sender(name, mail.from.address, to) },
    ...(legalLine === undefined ? [] : [{ text: legalLine }]),
  ];
}
