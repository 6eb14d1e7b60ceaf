/** Sellers and buyers as papers name them. */
import type { Party } from '../../document-data.ts';

const nbsp = '\u00a0';
/** After these, a line never breaks. */
const leading = /(^|[\s,(«])(ООО|АО|ПАО|ИП|№|г\.|ул\.|д\.|кв\.|оф\.|офис|корп\.|стр\.|пом\.) /g;
const initials = /(\p{Lu}\.) ?(?=\p{Lu}\.)/gu;
const soleProprietor = /^(ИП|индивидуальный предприниматель)\s+/i;

const trailing = / (?=(обл\.|р-н|край)(?!\p{L}))/gu;

/** Puts no-break spaces where a line must not break. */
export function keepTogether(text: string): string {
  return text
    .replaceAll(initials, `$1${nbsp}`)
    .replaceAll(/(\p{Ll}) (?=\p{Lu}\.\u00a0\p{Lu}\.)/gu, `$1${nbsp}`)
    .replaceAll(trailing, nbsp)
    .replaceAll(leading, `$1$2${nbsp}`);
}

/** "ООО «Ромашка»", "ИП Петров Пётр Сергеевич". */
export function nameOf({ kind, name }: Party): string {
  return keepTogether(kind === 'IP' ? `ИП ${name.replace(soleProprietor, '')}` : name);
}

/** "7700001235/770001001", as forms with VAT ask for. */
export function taxNumbers({ inn, kpp }: Party): string {
  return kpp === undefined ? inn : `${inn}/${kpp}`;
}

/** Name, numbers and address in one sentence. */
export function describeParty(party: Party): string {
  const { inn, kpp, ogrn, kind, address } = party;
  const numbers = kpp === undefined ? [] : [`КПП${nbsp}${kpp}`];
  const registration = kind === 'IP' ? [`ОГРНИП${nbsp}${ogrn}`] : [];
  return [nameOf(party), `ИНН${nbsp}${inn}`, ...numbers, ...registration, keepTogether(address)].join(', ');
}

/** Who signs, like "Иванов И. И."; a sole proprietor signs in person. */
export function signerOf({ kind, name, director }: Party): string {
  return shortName(director ?? (kind === 'IP' ? name.replace(soleProprietor, '') : ''));
}

/** "Иванов Иван Иванович" → "Иванов И. И."; anything but two or three whole names stays as it is. */
export function shortName(name: string): string {
  const [surname = '', ...others] = name.split(/\s+/);
  const areNames = others.length > 0 && others.length < 3 && others.every((part) => /^\p{Lu}\p{Ll}+$/u.test(part));
  return keepTogether(areNames ? `${surname} ${others.map((part) => `${part.charAt(0)}.`).join(' ')}` : name);
}
