/** Whether untrusted JSON is an object: neither an array nor null, which JavaScript calls objects too. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
