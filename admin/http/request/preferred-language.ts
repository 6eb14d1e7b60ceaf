/** Which of our languages a client prefers, by RFC 9110 §12.5.4. */

export type Language = 'en' | 'ru';

/** English if the header names neither, or both with the same weight. */
export function preferredLanguage(acceptLanguage: string | null | undefined): Language {
  const ranges = (acceptLanguage ?? '').split(',').map(readRange);
  const weightOf = (language: Language) => ranges.find(({ tag }) => tag === language)?.weight;
  const any = ranges.find(({ tag }) => tag === '*')?.weight ?? 0;
  return (weightOf('ru') ?? any) > (weightOf('en') ?? any) ? 'ru' : 'en';
}

/** `ru-RU;q=0.8` → ru with 0.8 */
function readRange(range: string): { tag: string; weight: number } {
  const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const [tag = ''] = name.split('-');
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return { tag, weight: weight >= 0 && weight <= 1 ? weight : 0 };
}
