/** Anthropic and Bedrock take letters, digits, `_` and `-` in a call's id; other providers make ids with more than these. */
export function toolUseId(callId: string): string {
  return callId.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}
