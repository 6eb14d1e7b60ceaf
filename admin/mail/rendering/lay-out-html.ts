/**
 * A mail as HTML that mail programs render alike: no tables, and nothing external except the logo that
 * the operator has configured. Every style is inline,
 * because some programs remove `<style>`; the remaining `<style>` only adapts the colours to dark mode.
 */
import { escapeHTML } from 'bun';
import type { Language } from '../../../shared/languages.ts';
import type { Block, Footer, FooterLine, Header, MailMessage } from './mail-message.ts';

const fonts = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

const light = {
  page: '#f3f4f6',
  card: '#ffffff',
  text: '#1f2937',
  quiet: '#6b7280',
  line: '#e5e7eb',
  accent: '#1d4ed8',
};
const dark = {
  page: '#111317',
  card: '#1b1e24',
  text: '#e5e7eb',
  quiet: '#9ca3af',
  line: '#333842',
  accent: '#3b6ef0',
};

const darkRules = `@media (prefers-color-scheme: dark) {
.page{background:${dark.page}!important}.card{background:${dark.card}!important;border-color:${dark.line}!important}
.text{color:${dark.text}!important}.quiet{color:${dark.quiet}!important}.rule{border-color:${dark.line}!important}
.button{background:${dark.accent}!important}.logo{background:${light.page}!important;padding:6px 10px!important;border-radius:8px!important}}`;

const logoHeight = 32;

/** Pushes the text of the mail out of the preview, which shows the preheader. */
const previewFiller = '&#8199;&#847; '.repeat(60);

interface Surroundings {
  readonly header: Header;
  readonly footer: Footer;
  readonly language: Language;
}

export function layOutHtml(message: MailMessage, { header, footer, language }: Surroundings): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHTML(message.subject)}</title>
<style>${darkRules}</style>
</head>
<body class="page" style="margin:0;padding:0;background:${light.page}">
<div style="display:none;max-height:0;overflow:hidden">${escapeHTML(message.preheader)}${previewFiller}</div>
<div class="page" style="padding:32px 16px;background:${light.page};font:16px/1.55 ${fonts}">
${layOutHeader(header)}
<div class="card" style="max-width:496px;margin:0 auto;padding:32px;background:${light.card};border:1px solid ${light.line};border-radius:12px">
<h1 class="text" style="margin:0 0 16px;color:${light.text};font-size:22px;line-height:1.3;font-weight:650">${escapeHTML(message.heading)}</h1>
${message.blocks.map(layOutBlock).join('\n')}
</div>
${layOutFooter(footer)}
</div>
</body>
</html>
`;
}

function layOutBlock(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return `<p class="text" style="margin:0 0 20px;color:${light.text}">${escapeHTML(block.text)}</p>`;
    case 'note':
      return `<p class="quiet" style="margin:20px 0 0;color:${light.quiet};font-size:14px">${escapeHTML(block.text)}</p>`;
    case 'facts':
      return `<div class="rule" style="margin:0 0 24px;border-bottom:1px solid ${light.line}">${block.facts.map(layOutFact).join('')}</div>`;
    case 'button':
      return layOutButton(block.label, block.url);
  }
}

function layOutFact([name, value]: readonly [string, string], index: number): string {
  const size = index === 0 ? 'font-size:18px;font-weight:600' : 'font-size:15px';
  return `<div class="rule" style="padding:10px 0;border-top:1px solid ${light.line}">
<div class="quiet" style="color:${light.quiet};font-size:13px">${escapeHTML(name)}</div>
<div class="text" style="color:${light.text};${size}">${escapeHTML(value)}</div>
</div>`;
}

function layOutButton(label: string, url: string): string {
  const style = `display:inline-block;padding:12px 22px;background:${light.accent};color:#ffffff;font-weight:600;text-decoration:none;border-radius:8px`;
  return `<p style="margin:0"><a class="button" href="${escapeHTML(url)}" style="${style}">${escapeHTML(label)}</a></p>`;
}

function layOutHeader({ brandName, logoUrl }: Header): string {
  const style = `margin:0 auto;max-width:496px;padding:0 32px 16px;color:${light.text};font-size:17px;font-weight:650`;
  const name = escapeHTML(brandName);
  // Programs that load no images show the name instead; in dark mode a logo keeps the light background it was made for.
  const image = `<img class="logo" src="${escapeHTML(logoUrl ?? '')}" alt="${name}" height="${logoHeight}" style="display:block;height:${logoHeight}px;max-width:100%;border:0">`;
  return `<div class="text" style="${style}">${logoUrl === undefined ? name : image}</div>`;
}

function layOutFooter(footer: Footer): string {
  const style = `margin:0 auto;max-width:496px;padding:20px 32px 0;color:${light.quiet};font-size:13px`;
  return `<div class="quiet" style="${style}">${footer.map(layOutLine).join('<br>\n')}</div>`;
}

function layOutLine({ text, link }: FooterLine): string {
  if (link === undefined) return escapeHTML(text);
  const anchor = `<a class="quiet" href="${escapeHTML(link.url)}" style="color:${light.quiet};white-space:nowrap">${escapeHTML(link.label)}</a>`;
  return `${escapeHTML(text)} ${anchor}`;
}
