/** Texts of data policies: of the organization's section, and of the fields that the form of a key has too. */
import { defineTexts } from '../../app/i18n/define-texts.ts';

export const policyTexts = defineTexts('data-policy', {
  en: {
    title: 'Data policy',
    text: 'Requests are sent only to providers known to meet all of these conditions; a request that no provider may see is refused and costs nothing. Conditions of a key apply in addition.',
    deniesTraining: 'Only providers that do not train on requests',
    zdr: 'Only providers that store no requests (zero data retention)',
    countries: 'Countries',
    countriesHint: 'Two-letter codes separated by commas. Empty allows any country',
    badCountry: '“{{entry}}” is not a country. Enter the two letters of its ISO 3166-1 code, such as DE.',
    only: 'Only these providers',
    onlyHint: 'If you choose none, all are allowed',
    ignore: 'Not these providers',
  },
  ru: {
    title: 'Передача данных провайдерам',
    text: 'Запросы передаются только провайдерам, о которых известно, что они отвечают всем этим условиям; если таких нет, запрос отклоняется и ничего не стоит. Условия ключа действуют дополнительно.',
    deniesTraining: 'Только провайдеры, которые не обучают модели на запросах',
    zdr: 'Только провайдеры, которые не хранят запросы (zero data retention)',
    countries: 'Страны',
    countriesHint: 'Двухбуквенные коды через запятую. Если пусто — любая страна',
    badCountry: '«{{entry}}» — не страна. Введите две буквы её кода по ISO 3166-1, например DE.',
    only: 'Только эти провайдеры',
    onlyHint: 'Если не выбрать, разрешены все',
    ignore: 'Кроме этих провайдеров',
  },
});
