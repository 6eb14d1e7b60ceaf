/** A customer tries whether alerts would reach him. */
import type { MailLanguage } from '../../../shared/tables/mails.ts';
import { instantText } from '../format-for-people.ts';
import type { Letter } from '../letter.ts';
import type { MailData } from '../mail.ts';

const words = {
  en: {
    subject: 'A test of your alerts',
    preheader: 'If you read this, alerts reach you.',
    heading: 'Alerts reach you',
    text: 'This is the test that you asked for. Low-balance alerts will come to this address, from this sender.',
    when: 'Asked for',
    why: 'You get this mail because a test was asked for in the settings of your account.',
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

export function testLetter(data: MailData['test'], language: MailLanguage): Letter {
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
  };
}
