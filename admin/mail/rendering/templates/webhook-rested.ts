/** A webhook endpoint could not be reached for a day and is inactive now. */
import type { MailData } from '../../mail.ts';
import { instantText } from '../format-for-people.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';

const wordsEn = {
  subject: 'A webhook endpoint is now inactive',
  preheader: (url: string) => `Deliveries to ${url} have failed.`,
  text: 'We could not deliver an event to your webhook endpoint, so we no longer send anything to it. Fix the endpoint, then activate it on the Webhooks page: the events that were waiting are sent then.',
  note: 'Events that happen while it is inactive are not recorded for it.',
  facts: { url: 'Endpoint', event: 'Event', error: 'Error', when: 'Inactive since' },
  button: 'Open webhooks',
  why: 'You received this email because you own this organization.',
};

const wordsRu: typeof wordsEn = {
  subject: 'Вебхук отключён',
  preheader: (url) => `Не удалось доставить события на ${url}.`,
  text: 'Мы не смогли доставить событие на ваш адрес вебхука и больше ничего на него не отправляем. Исправьте ошибку и включите его в разделе «Вебхуки»: тогда мы отправим события, которые ждали доставки.',
  note: 'События, которые произойдут, пока вебхук отключён, для него не сохраняются.',
  facts: { url: 'Адрес', event: 'Событие', error: 'Ошибка', when: 'Отключён с' },
  button: 'Открыть вебхуки',
  why: 'Вы получили это письмо, потому что вы владелец этой организации.',
};

const words = { en: wordsEn, ru: wordsRu };

export function webhookRestedMail(
  { endpointUrl, type, error, restedAt }: MailData['webhook_rested'],
  { language, publicUrl }: TemplateContext,
): MailMessage {
  const say = words[language];
  return {
    subject: say.subject,
    preheader: say.preheader(endpointUrl),
    heading: say.subject,
    blocks: [
      { kind: 'paragraph', text: say.text },
      {
        kind: 'facts',
        facts: [
          [say.facts.url, endpointUrl],
          [say.facts.event, type],
          [say.facts.error, error],
          [say.facts.when, instantText(restedAt, language)],
        ],
      },
      { kind: 'button', label: say.button, url: `${publicUrl}/webhooks` },
      { kind: 'note', text: say.note },
    ],
    why: say.why,
    isOptional: false,
  };
}
