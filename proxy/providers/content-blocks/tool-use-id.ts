/** Anthropic and Bedrock allow letters, digits, `_` and `-` in a call's id; other providers use more. */
export function toolUseId(callId: string): string {
  return callId.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}
