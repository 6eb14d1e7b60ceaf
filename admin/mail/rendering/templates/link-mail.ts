/** A mail with a link: its reason, the link as a button, and its expiry. */
import type { Link } from '../../mail.ts';
import { instantText } from '../format-for-people.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';

interface LinkWords {
  readonly subject: string;
  readonly preheader: string;
  readonly text: (brandName: string) => string;
  readonly button: string;
  readonly notes: (instant: string) => readonly string[];
  readonly why: string;
}

export function linkMail(
  { url, expiresAt }: Link,
  say: LinkWords,
  { language, brandName }: TemplateContext,
): MailMessage {
  return {
    subject: say.subject,
    preheader: say.preheader,
    heading: say.subject,
    blocks: [
      { kind: 'paragraph', text: say.text(brandName) },
      { kind: 'button', label: say.button, url },
      ...say.notes(instantText(expiresAt, language)).map((text) => ({ kind: 'note', text }) as const),
    ],
    why: say.why,
    isOptional: false,
  };
}
