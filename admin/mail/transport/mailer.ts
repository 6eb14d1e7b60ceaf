/** What a mailer takes, and what it promises. */

export interface OutgoingMail {
  /** The same for every attempt: the Message-ID and the file's name are made of it. */
  readonly key: string;
  readonly createdAt: Date;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where answers go; undefined where they go to the sender. */
  readonly replyTo?: string | undefined;
  /** Takes a POST that unsubscribes the recipient (RFC 8058). */
  readonly unsubscribeUrl?: string | undefined;
}

export interface Mailer {
  /** Returns what the server said, or the file's path. Throws MailRefused, or anything else for a passing trouble. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<string>;
}
