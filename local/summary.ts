/** What `npm start` says when everything runs: where it is, who may log in, and a command to try at once. */
import { relative } from 'node:path';
import type { LocalFile } from './local-file.ts';
import type { Terminal } from './terminal.ts';

export interface SummaryOptions {
  local: LocalFile;
  /** A chat model that the catalogue offers. */
  model: string;
  dataDir: string;
  environmentFile: string;
}

export function printSummary(terminal: Terminal, options: SummaryOptions): void {
  const { local } = options;
  const rows = [
    ['Proxy', `${local.proxyUrl}/v1`],
    ['Admin', `${local.adminUrl}/api`],
    ['API docs', local.docsUrl],
    ['Demo customer', `${local.demo.email}  ${local.demo.password}`],
    ['Operator', `${local.operator.email}  ${local.operator.password}`],
    ['Data and logs', `${shown(options.dataDir)} (local.json has all of the above and the keys)`],
  ];
  terminal.line();
  for (const [name = '', value = ''] of rows) terminal.line(`  ${name.padEnd(15)}${value}`);
  terminal.line();
  terminal.line(terminal.bold('  Ask the demo model; the second command streams the answer:'));
  terminal.line();
  terminal.line(curl(options, false));
  terminal.line();
  terminal.line(curl(options, true));
  terminal.line();
  const gateway = `npx bun --env-file=${shown(options.environmentFile)} admin/cli/main.ts`;
  terminal.line(`  Real providers: README.md and local/providers.md show how; then ${gateway} catalogue apply FILE`);
  terminal.line('  Stop with Ctrl-C.');
}

/** Not indented: it is there to be copied. */
function curl({ local, model }: SummaryOptions, isStreamed: boolean): string {
  const body = {
    model,
    ...(isStreamed ? { stream: true } : {}),
    messages: [{ role: 'user', content: 'What can this gateway do?' }],
  };
  const lines = [
    `curl ${isStreamed ? '-N ' : ''}${local.proxyUrl}/v1/chat/completions`,
    `-H 'Authorization: Bearer ${local.demo.proxyKey}'`,
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify(body)}'`,
  ];
  return lines.join(' \\\n  ');
}

/** As short as possible for whoever stands in the tree. */
function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}
