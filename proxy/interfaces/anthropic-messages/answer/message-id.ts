/** The message's id tells the request, by which the logs and the ledger know it. */

export function messageId(requestId: string): string {
  return `msg_${requestId.replaceAll('-', '')}`;
}
