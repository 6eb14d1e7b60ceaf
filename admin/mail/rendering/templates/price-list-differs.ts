/** A published price list says something else than the catalogue; for operators. */
import type { MailData } from '../../mail.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';

const wordsEn = {
  subject: 'A price list differs from the catalogue',
  preheader: (models: number) => `Models it says something else about: ${models}.`,
  text: (host: string) =>
    `The price list of ${host} says something else than the catalogue. Nothing of this has been applied: compare and take over what is right.`,
  large: (count: number, factor: number) =>
    `Prices that differ by more than ${factor} times: ${count}. Each has to be confirmed on its own, because it may be a mistake.`,
  facts: { models: 'Models that differ', newModels: 'New models' },
  none: 'none',
  button: 'Open price list',
  why: (brand: string) => `You received this email because you are an operator of ${brand}.`,
};

const wordsRu: typeof wordsEn = {
  subject: 'Прайс-лист расходится с каталогом',
  preheader: (models) => `Моделей с расхождениями: ${models}.`,
  text: (host) =>
    `Прайс-лист ${host} расходится с каталогом. Ничего из этого не применено: сравните и примите то, что верно.`,
  large: (count, factor) =>
    `Цен, которые отличаются более чем в ${factor} раза: ${count}. Каждую нужно подтвердить отдельно, потому что это может быть ошибкой.`,
  facts: { models: 'Моделей с расхождениями', newModels: 'Новых моделей' },
  none: 'нет',
  button: 'Открыть прайс-лист',
  why: (brand) => `Вы получили это письмо, потому что вы оператор сервиса ${brand}.`,
};

const words = { en: wordsEn, ru: wordsRu };

export function priceListDiffersMail(
  { listUrl, models, examples, largeChanges, largeFactor, newModels }: MailData['price_list_differs'],
  { language, brandName, publicUrl }: TemplateContext,
): MailMessage {
  const say = words[language];
  return {
    subject: say.subject,
    preheader: say.preheader(models),
    heading: say.subject,
    blocks: [
      { kind: 'paragraph', text: say.text(new URL(listUrl).host) },
      {
        kind: 'facts',
        facts: [
          [say.facts.models, String(models)],
          [say.facts.newModels, String(newModels)],
          ...examples.map(
            ({ model, field, from, to }) => [`${model}: ${field}`, `${from ?? say.none} → ${to ?? say.none}`] as const,
          ),
        ],
      },
      ...(largeChanges === 0 ? [] : [{ kind: 'paragraph', text: say.large(largeChanges, largeFactor) } as const]),
      { kind: 'button', label: say.button, url: `${publicUrl}/operator/catalogue?tab=compare` },
    ],
    why: say.why(brandName),
    isOptional: false,
  };
}
