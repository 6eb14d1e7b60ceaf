/** A customer checks whether alerts would reach them. */
import type { MailData } from '../../mail.ts';
import { instantText } from '../format-for-people.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';

const words = {
  en: {
    subject: 'Test of your low-balance alerts',
    preheader: 'If you can read this, alerts reach you.',
    heading: 'Your alerts are working',
    text: 'This is the test email that you requested. Low-balance alerts are sent to this address, from this sender.',
    when: 'Requested',
    why: 'You received this email because a test was requested in the settings of your account.',
  },
  ru: {
    subject: 'Проверка оповещений',
    preheader: 'Если вы это читаете, оповещения до вас доходят.',
    heading: 'Оповещения доходят',
    text: 'Это проверка, которую вы запросили. Оповещения о низком балансе будут приходить на этот адрес от этого отправителя.',
    when: 'Запрошено',
    why: 'Вы получили это письмо, потому что в настройках вашего аккаунта запросили проверку.',
  },
};

export function testMail(data: MailData['test'], { language }: TemplateContext): MailMessage {
  const say = words[language];
  return {
    subject: say.subject,
    preheader: say.preheader,
    heading: say.heading,
    blocks: [
      { kind: 'paragraph', text: say.text },
      { kind: 'facts', facts: [[say.when, instantText(data.requestedAt, language)]] },
    ],
    why: say.why,
    isOptional: false,
  };
}
