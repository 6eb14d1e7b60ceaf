/** A mail as plain text: lines of at most 72 characters, links on separate lines. */
import type { Block, Footer, FooterLine, MailMessage } from './mail-message.ts';

const lineMaxLength = 72;

export function layOutText(message: MailMessage, footer: Footer): string {
  const parts = [
    message.heading.toUpperCase(),
    ...message.blocks.map(layOutBlock),
    `-- \n${footer.map(layOutLine).join('\n')}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

function layOutBlock(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
    case 'note':
      return wrap(block.text);
    case 'facts':
      return block.facts.map(([name, value]) => `${name}: ${value}`).join('\n');
    case 'button':
      return `${block.label}:\n${block.url}`;
  }
}

function layOutLine({ text, link }: FooterLine): string {
  if (link === undefined) return wrap(text);
  return link.url.startsWith('mailto:') ? wrap(`${text} ${link.label}`) : `${wrap(text)}\n${link.label}: ${link.url}`;
}

function wrap(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= lineMaxLength)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}
