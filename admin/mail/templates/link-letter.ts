/** A letter that is there for its link: why it comes, the link as a button, and until when it works. */
import type { MailLanguage } from '../../../shared/tables/mails.ts';
import { instantText } from '../format-for-people.ts';
import type { Letter } from '../letter.ts';
import type { Link } from '../mail.ts';

interface LinkWords {
  readonly subject: string;
  readonly preheader: string;
  readonly heading: string;
  readonly text: string;
  readonly button: string;
  readonly expires: (instant: string) => string;
  readonly why: string;
}

export function linkLetter({ url, expiresAt }: Link, say: LinkWords, language: MailLanguage): Letter {
  return {
    subject: say.subject,
    preheader: say.preheader,
    heading: say.heading,
    blocks: [
      { kind: 'paragraph', text: say.text },
      { kind: 'button', label: say.button, url },
      { kind: 'note', text: say.expires(instantText(expiresAt, language)) },
    ],
    why: say.why,
  };
}
