/** Texts about what usage is attributed to. */
import { defineTexts } from '../../app/i18n/define-texts.ts';

export const dimensionsTexts = defineTexts('dimensions', {
  en: {
    title: 'Dimensions of usage',
    text: 'Usage and activity can be split by what your applications send with each request. A change counts for requests that begin after it.',
    user: 'User',
    userHint: 'The field “user” of a request.',
    metadata: 'Metadata keys',
    metadataHint_one: 'Names in the field “metadata”, such as team. At most {{count}}.',
    metadataHint_other: 'Names in the field “metadata”, such as team or feature. At most {{count}}.',
    badName: 'A name has up to 64 English letters, digits, dots, hyphens and underscores',
  },
  ru: {
    title: 'Разрезы расходов',
    text: 'Расходы и запросы можно разбить по тому, что ваши приложения передают с каждым запросом. Изменение действует для запросов, которые начнутся после него.',
    user: 'Пользователь',
    userHint: 'Поле «user» запроса.',
    metadata: 'Имена в metadata',
    metadataHint_one: 'Имена в поле «metadata», например team. Не больше {{count}}.',
    metadataHint_few: 'Имена в поле «metadata», например team или feature. Не больше {{count}}.',
    metadataHint_many: 'Имена в поле «metadata», например team или feature. Не больше {{count}}.',
    metadataHint_other: 'Имена в поле «metadata», например team или feature. Не больше {{count}}.',
    badName: 'Имя — до 64 латинских букв, цифр, точек, дефисов и подчёркиваний',
  },
});
