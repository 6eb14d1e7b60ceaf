/**
 * The page behind a mailed link: a question with one button, and the result. It loads nothing, runs no script, and
 * never leaks its address, which contains the token.
 */
import { escapeHTML } from 'bun';
import type { Language } from '../../../shared/languages.ts';

export type LinkAction = 'confirm' | 'unsubscribe';

export type PageState =
  | { readonly kind: 'question' }
  | { readonly kind: 'done'; readonly email: string }
  /** The link is unknown, used or expired. */
  | { readonly kind: 'invalid' };

interface PageOptions {
  readonly action: LinkAction;
  readonly state: PageState;
  readonly language: Language;
  readonly brandName: string;
}

const words = {
  en: {
    confirm: {
      question: 'Get low-balance alerts at this address?',
      button: 'Get the alerts',
      done: (email: string) => `Low-balance alerts are now sent to ${email}. Every alert has a link that stops them.`,
    },
    unsubscribe: {
      question: 'Stop low-balance alerts to this address?',
      button: 'Stop the alerts',
      done: (email: string) => `No more low-balance alerts of this account are sent to ${email}.`,
    },
    invalid: 'This link no longer works. It was used, has expired, or the address was removed.',
  },
  ru: {
    confirm: {
      question: 'Получать на этот адрес оповещения о низком балансе?',
      button: 'Получать оповещения',
      done: (email: string) =>
        `Оповещения о низком балансе будут приходить на ${email}. В каждом есть ссылка, чтобы от них отказаться.`,
    },
    unsubscribe: {
      question: 'Больше не присылать на этот адрес оповещения о низком балансе?',
      button: 'Не присылать',
      done: (email: string) => `Оповещения о низком балансе этого аккаунта больше не будут приходить на ${email}.`,
    },
    invalid: 'Эта ссылка больше не действует: она использована, устарела, или адрес удалён из списка.',
  },
};

const style = `body{font:17px/1.5 system-ui,sans-serif;max-width:30rem;margin:15vh auto;padding:0 1rem;color-scheme:light dark}
button{font:inherit;padding:.5rem 1.2rem;cursor:pointer}`;
const styleHash = new Bun.CryptoHasher('sha256').update(style).digest('base64');

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
};

export function linkPage({ action, state, language, brandName }: PageOptions): Response {
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${escapeHTML(brandName)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escapeHTML(brandName)}</h1>
${contentOf(action, state, language)}
</body>
</html>
`;
  return new Response(html, { status: state.kind === 'invalid' ? 400 : 200, headers });
}

function contentOf(action: LinkAction, state: PageState, language: Language): string {
  const say = words[language];
  switch (state.kind) {
    case 'question':
      // Without an action, the form is sent to the page's own address, including the token.
      return `<p>${say[action].question}</p>\n<form method="post"><button>${say[action].button}</button></form>`;
    case 'done':
      return `<p>${escapeHTML(say[action].done(state.email))}</p>`;
    case 'invalid':
      return `<p>${say.invalid}</p>`;
  }
}
