/** A mail before layout: its content, in one language, independent of HTML. */
import type { Language } from '../../../shared/languages.ts';
import type { MailConfig } from '../../config/mail.ts';

export interface MailMessage {
  readonly subject: string;
  /** Shown by mail programs next to the subject. */
  readonly preheader: string;
  readonly heading: string;
  readonly blocks: readonly Block[];
  /** Why the recipient gets this mail. */
  readonly why: string;
  /** Whether the recipient can turn off mails like this one: then the footer says where. */
  readonly isOptional: boolean;
  /** Stops mails like this one for a recipient who may not be able to log in; replaces the link to the settings. */
  readonly unsubscribeUrl?: string | undefined;
}

export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  /** Names and values; the first one is the most important. */
  | { readonly kind: 'facts'; readonly facts: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'button'; readonly label: string; readonly url: string }
  | { readonly kind: 'note'; readonly text: string };

/** The context that all templates get. */
export interface TemplateContext {
  readonly language: Language;
  readonly brandName: string;
  /** The dashboard's address, without a trailing slash. */
  readonly publicUrl: string;
}

/** The header of every mail. */
export interface Header {
  readonly brandName: string;
  readonly logoUrl: string | undefined;
}

/** The footer of every mail: lines of text, some ending with a link. */
export type Footer = readonly FooterLine[];

export interface FooterLine {
  readonly text: string;
  readonly link?: { readonly label: string; readonly url: string };
}

export interface RenderConfig {
  /** The dashboard's address, without a trailing slash. */
  readonly publicUrl: string;
  readonly mail: Pick<MailConfig, 'from' | 'brand'>;
}
