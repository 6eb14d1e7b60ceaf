/** JSON in one way of writing it: without blanks, the fields of every object in order. */

export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (isObject(part) ? inOrder(part) : part));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Without a prototype, so that `__proto__` is a field like any other. */
function inOrder(object: object): object {
  const sorted: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))) sorted[name] = value;
  return sorted;
}
