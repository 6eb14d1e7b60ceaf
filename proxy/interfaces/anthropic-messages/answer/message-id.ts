/** The message's id contains the request id, so that it can be found in the logs and the ledger. */

export function messageId(requestId: string): string {
  return `msg_${requestId.replaceAll('-', '')}`;
}
