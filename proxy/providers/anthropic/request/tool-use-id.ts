/** Anthropic takes letters, digits, `_` and `-` in the id of a call; other providers make ids with more than these. */
export function toolUseId(callId: string): string {
  return callId.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}
