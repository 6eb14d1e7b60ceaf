/** Ids of messages and of tool calls, in the format of each side. */

/** The message's id in OpenAI's format, or a new one if the provider sent none. */
export function completionId(messageId: string | null | undefined): string {
  return `chatcmpl-${messageId ? messageId.replace(/^msg_/, '') : crypto.randomUUID()}`;
}

/** The id of a tool call that came without one. */
export function toolCallId(completion: string, index: number): string {
  return `call_${completion.replace(/^chatcmpl-/, '')}_${index}`;
}

/** Anthropic and Bedrock allow letters, digits, `_` and `-` in a call's id; other providers use more. */
export function toolUseId(callId: string): string {
  return callId.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}
