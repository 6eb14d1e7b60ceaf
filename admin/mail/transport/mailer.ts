/** The interface of a mailer. */

export interface OutgoingMail {
  /** The same for every attempt: the Message-ID and the file's name are derived from it. */
  readonly key: string;
  readonly createdAt: Date;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The Reply-To address; undefined if replies go to the sender. */
  readonly replyTo?: string | undefined;
  /** Accepts a POST that unsubscribes the recipient (RFC 8058). */
  readonly unsubscribeUrl?: string | undefined;
}

export interface Mailer {
  /**
   * Returns the server's response, or the file's path. Throws MailRefused, or any other error for a temporary failure.
   */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<string>;
}
