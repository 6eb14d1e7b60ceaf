/** Days as Russian papers write them. */

const months = [
  ...['января', 'февраля', 'марта', 'апреля', 'мая', 'июня'],
  ...['июля', 'августа', 'сентября', 'октября', 'ноября', 'декабря'],
];
const monthNames = [
  ...['январь', 'февраль', 'март', 'апрель', 'май', 'июнь'],
  ...['июль', 'август', 'сентябрь', 'октябрь', 'ноябрь', 'декабрь'],
];
const longNumberLength = 12;

/** "2030-01-31" → "31.01.2030". */
export function shortDate(day: string): string {
  const [year, month, date] = day.split('-');
  return `${date}.${month}.${year}`;
}

/** "2030-01-05" → "5 января 2030 г.", without places for line breaks. */
export function longDate(day: string): string {
  const [year, month, date] = day.split('-').map(Number);
  return `${date} ${months[(month ?? 1) - 1]} ${year} г.`.replaceAll(' ', '\u00a0');
}

/** "2030-01-01" → "январь 2030 г." */
export function longMonth(day: string): string {
  const [year, month] = day.split('-').map(Number);
  return `${monthNames[(month ?? 1) - 1]} ${year} г.`;
}

/** "№ 4711 от 31.01.2030"; only a provider's long number may be on a line of its own. */
export function reference(number: string | number, day: string): string {
  const space = String(number).length > longNumberLength ? ' ' : '\u00a0';
  return `№\u00a0${number}${space}от\u00a0${shortDate(day)}`;
}
