/** The interface of a mailer. */

export interface OutgoingMail {
  /** The same for every attempt: the Message-ID and the file name are derived from it. */
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
  readonly attachments?: readonly Attachment[];
}

export interface Attachment {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface Mailer {
  /** Returns the server's reply, or the file's path. Throws MailRefused, or any other error for a transient failure. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<string>;
}
