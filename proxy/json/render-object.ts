/** JSON of members that are JSON already: amounts are spelled out digit by digit, which no JavaScript number could be. */

/** Name → JSON text of the value. */
export function renderObject(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',')}}`;
}
