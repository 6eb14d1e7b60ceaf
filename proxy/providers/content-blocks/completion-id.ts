/** A message's id in the form that OpenAI's clients know; one of ours where the provider gave none. */
export function completionId(messageId: string | null | undefined): string {
  return `chatcmpl-${messageId ? messageId.replace(/^msg_/, '') : crypto.randomUUID()}`;
}

/** Of a tool call that came without one. */
export function toolCallId(completion: string, index: number): string {
  return `call_${completion.replace(/^chatcmpl-/, '')}_${index}`;
}
