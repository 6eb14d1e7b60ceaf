/** Days as Russian papers write them. */

const months = [
  ...['января', 'февраля', 'марта', 'апреля', 'мая', 'июня'],
  ...['июля', 'августа', 'сентября', 'октября', 'ноября', 'декабря'],
];

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

/** "31.01.2030, № 4711" as papers refer to each other: "№ 4711 от 31.01.2030". */
export function reference(number: string | number, day: string): string {
  return `№\u00a0${number} от\u00a0${shortDate(day)}`;
}
