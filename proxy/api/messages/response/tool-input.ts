/** The arguments of a tool call, which this API format returns as an object instead of a string. */

/**
 * JSON text. Arguments are text that a model wrote. Valid JSON is kept verbatim, so that no number loses digits.
 * Invalid JSON is wrapped as Anthropic's documentation of fine-grained tool streaming advises.
 */
export function renderToolInput(argumentsText: string): string {
  const text = argumentsText.trim();
  if (text === '') return '{}';
  return isJsonObject(text) ? text : JSON.stringify({ INVALID_JSON: argumentsText });
}

export function isJsonObject(text: string): boolean {
  if (!text.startsWith('{') || !text.endsWith('}')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
