/** The report as Markdown. */
import type { Section, Table } from './section.ts';

export interface Report {
  readonly head: readonly string[];
  readonly sections: readonly Section[];
}

export function renderMarkdown({ head, sections }: Report): string {
  return `${[...head, ...sections.map(renderSection)].join('\n\n')}\n`;
}

function renderSection({ title, method, tables, notices }: Section): string {
  const parts = [`## ${title}`, method, ...tables.map(renderTable)];
  if (notices.length > 0) parts.push(notices.map((notice) => `- ${notice}`).join('\n'));
  return parts.join('\n\n');
}

export function renderTable({ columns, rows }: Table): string {
  const rule = columns.map((_, index) => (index === 0 ? '---' : '---:'));
  return [columns, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
