/** Which of our languages a client prefers, by RFC 9110 §12.5.4. */
import { type Language, languages } from '../../../shared/languages.ts';

/** The first of them if the header names none, or several with the same weight. */
export function preferredLanguage(acceptLanguage: string | null | undefined): Language {
  const ranges = (acceptLanguage ?? '').split(',').map(readRange);
  const weightOf = (wanted: string) => ranges.find(({ tag }) => tag === wanted)?.weight;
  const weights = languages.map((language) => weightOf(language) ?? weightOf('*') ?? 0);
  return languages[weights.indexOf(Math.max(...weights))] ?? languages[0];
}

/** `ru-RU;q=0.8` → ru with 0.8 */
function readRange(range: string): { tag: string; weight: number } {
  const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const [tag = ''] = name.split('-');
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return { tag, weight: weight >= 0 && weight <= 1 ? weight : 0 };
}
