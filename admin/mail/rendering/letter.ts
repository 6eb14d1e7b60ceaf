/** A letter before it is laid out: what it says, in one language, without a thought of HTML. */

import type { MailConfig } from '../../../shared/config/mail.ts';
import type { MailLanguage } from '../../../shared/tables/mails.ts';

export interface Letter {
  readonly subject: string;
  /** What a mail program shows beside the subject. */
  readonly preheader: string;
  readonly heading: string;
  readonly blocks: readonly Block[];
  /** Why the recipient gets it. */
  readonly why: string;
  /** Whether the recipient can switch mails like this one off: then the footer says where. */
  readonly isOptional: boolean;
  /** Stops mails like this one to their recipient, who may not be able to log in: takes the place of the settings. */
  readonly unsubscribeUrl?: string | undefined;
}

export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  /** A name and a value each; the first one is the one that matters. */
  | { readonly kind: 'facts'; readonly facts: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'button'; readonly label: string; readonly url: string }
  | { readonly kind: 'note'; readonly text: string };

/** What templates know besides what the mail is about. */
export interface LetterContext {
  readonly language: MailLanguage;
  readonly brandName: string;
  /** The dashboard's address, without a slash at its end. */
  readonly publicUrl: string;
}

/** What is above every letter. */
export interface Header {
  readonly brandName: string;
  readonly logoUrl: string | undefined;
}

/** What is below every letter: lines of text, some with a link at their end. */
export type Footer = readonly FooterLine[];

export interface FooterLine {
  readonly text: string;
  readonly link?: { readonly label: string; readonly url: string };
}

export interface LetterConfig {
  /** The dashboard's address, without a slash at its end. */
  readonly publicUrl: string;
  readonly mail: Pick<MailConfig, 'from' | 'brand'>;
}
