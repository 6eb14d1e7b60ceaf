/** The message's id in OpenAI's format, or a new one if the provider sent none. */
export function completionId(messageId: string | null | undefined): string {
  return `chatcmpl-${messageId ? messageId.replace(/^msg_/, '') : crypto.randomUUID()}`;
}

/** The id of a tool call that came without one. */
export function toolCallId(completion: string, index: number): string {
  return `call_${completion.replace(/^chatcmpl-/, '')}_${index}`;
}
