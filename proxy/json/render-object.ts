/** Joins members that are already JSON text. Amounts keep every digit, which a JavaScript number could not hold. */

/** Name → JSON text of the value. */
export function renderObject(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',')}}`;
}
