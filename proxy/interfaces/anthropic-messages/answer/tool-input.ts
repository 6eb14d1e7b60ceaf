/** The arguments of a tool call as the object that this interface gives them out as. */

/**
 * JSON text. Arguments are text that a model wrote: valid JSON stays as it is, so that no number loses digits; what is
 * none is wrapped as Anthropic's documentation of fine-grained tool streaming advises.
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
