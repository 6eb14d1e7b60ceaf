/** A model that the organization uses will no longer be served from a day on. */
import type { MailData } from '../../mail.ts';
import { dateText } from '../format-for-people.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';

const wordsEn = {
  subject: (model: string, day: string) => `${model} will be retired on ${day}`,
  preheader: 'Move your requests to another model before then.',
  heading: 'A model that you use will be retired',
  text: (day: string) =>
    `Your organization has used this model in the last 30 days. From ${day} (UTC), requests for it fail. Move them to another model before then.`,
  facts: { model: 'Model', day: 'Retires on' },
  button: 'Open models',
  why: 'You received this email because you own an organization that uses this model.',
};

const wordsRu: typeof wordsEn = {
  subject: (model, day) => `Модель ${model} будет отключена ${day}`,
  preheader: 'Переведите запросы на другую модель до этого дня.',
  heading: 'Модель, которой вы пользуетесь, будет отключена',
  text: (day) =>
    `Ваша организация пользовалась этой моделью в последние 30 дней. С ${day} (UTC) запросы к ней будут завершаться ошибкой. Переведите их до этого дня на другую модель.`,
  facts: { model: 'Модель', day: 'Отключение' },
  button: 'Открыть модели',
  why: 'Вы получили это письмо, потому что вы владелец организации, которая пользуется этой моделью.',
};

const words = { en: wordsEn, ru: wordsRu };

export function modelRetiringMail(
  { model, retiresAt }: MailData['model_retiring'],
  { language, publicUrl }: TemplateContext,
): MailMessage {
  const say = words[language];
  const day = dateText(retiresAt, language);
  return {
    subject: say.subject(model, day),
    preheader: say.preheader,
    heading: say.heading,
    blocks: [
      { kind: 'paragraph', text: say.text(day) },
      {
        kind: 'facts',
        facts: [
          [say.facts.model, model],
          [say.facts.day, day],
        ],
      },
      { kind: 'button', label: say.button, url: `${publicUrl}/models?model=${encodeURIComponent(model)}` },
    ],
    why: say.why,
    isOptional: false,
  };
}
