/** The server will never take this mail for this recipient; trying again would only annoy it (RFC 5321 §4.2.1). */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
}
