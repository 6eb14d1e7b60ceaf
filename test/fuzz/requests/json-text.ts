/** JSON as text, where a value may be something that no serializer writes: `1e999`, a name twice, 50,000 brackets. */

export class Literal {
  constructor(readonly text: string) {}
}

export function jsonText(value: unknown): string {
  if (value instanceof Literal) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`)
    .join(',')}}`;
}
