/** A letter before it is laid out: what it says, in one language, without a thought of HTML. */

export interface Letter {
  readonly subject: string;
  /** What a mail program shows beside the subject. */
  readonly preheader: string;
  readonly heading: string;
  readonly blocks: readonly Block[];
  /** Why the recipient gets it. */
  readonly why: string;
}

export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  /** A name and a value each; the first one is the one that matters. */
  | { readonly kind: 'facts'; readonly facts: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'button'; readonly label: string; readonly url: string }
  | { readonly kind: 'note'; readonly text: string };

/** What stands under every letter. */
export interface Footer {
  readonly sender: string;
  readonly why: string;
  readonly settingsLabel: string;
  readonly settingsUrl: string;
}
