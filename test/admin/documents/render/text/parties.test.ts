/** How parties and signers are named, and where a line may not break. */
import { expect, test } from 'bun:test';
import { longDate, reference, shortDate } from '../../../../../admin/documents/render/text/dates.ts';
import {
  describeParty,
  keepTogether,
  nameOf,
  shortName,
  signerOf,
} from '../../../../../admin/documents/render/text/parties.ts';
import { company, person } from '../samples.ts';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test.each([
  ['Иванов Иван Иванович', 'Иванов И. И.'],
  ['Петров Пётр', 'Петров П.'],
  ['Иванов И.И.', 'Иванов И. И.'],
  ['Салтыкова-Щедрина Анна Петровна', 'Салтыкова-Щедрина А. П.'],
  ['Мамедов Али Гасан оглы', 'Мамедов Али Гасан оглы'],
  ['Генеральный директор Иванов И. И.', 'Генеральный директор Иванов И. И.'],
  ['', ''],
])('the name %p is signed as %p', (name, short) => {
  expect(plain(shortName(name))).toBe(short);
});

test.each([
  'Соколов Пётр Сергеевич',
  'ИП Соколов Пётр Сергеевич',
  'Индивидуальный предприниматель Соколов Пётр Сергеевич',
])('a sole proprietor written as %p is named ИП once and signs with initials', (name) => {
  expect(plain(nameOf({ ...person, name }))).toBe('ИП Соколов Пётр Сергеевич');
  expect(plain(signerOf({ ...person, name }))).toBe('Соколов П. С.');
});

test('a company is described with its KPP, a sole proprietor with the OGRNIP', () => {
  expect(plain(describeParty(company))).toBe(
    'ООО «Демонстрация», ИНН 7700001235, КПП 770001001, 101000, г. Москва, ул. Примерная, д. 1, офис 10',
  );
  expect(plain(describeParty(person))).toBe(
    'ИП Соколов Пётр Сергеевич, ИНН 770000123493, ОГРНИП 323770000012345, 300000, Тульская обл., г. Тула, ул. Садовая, д. 5, кв. 7',
  );
});

test('abbreviations are not separated from what they belong to, nor initials from the surname', () => {
  const kept = (text: string) => keepTogether(text).replaceAll('\u00a0', '_');
  expect(kept('ООО «Ромашка», г. Тула, ул. Садовая, д. 5')).toBe('ООО_«Ромашка», г._Тула, ул._Садовая, д._5');
  expect(kept('Тульская обл., Иванов И. И.')).toBe('Тульская_обл., Иванов_И._И.');
  expect(kept('Акт № 5 и далее')).toBe('Акт №_5 и далее');
});

test('dates are written in short and in words', () => {
  expect(shortDate('2030-01-05')).toBe('05.01.2030');
  expect(longDate('2030-05-05')).toBe('5\u00a0мая\u00a02030\u00a0г.');
  expect(reference(7, '2030-12-31')).toBe('№\u00a07\u00a0от\u00a031.12.2030');
});
