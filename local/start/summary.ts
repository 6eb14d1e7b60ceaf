/** The summary that `npm start` prints once everything runs: addresses, log-ins, what to open, and commands to try. */
import { relative } from 'node:path';
import { dataDirByDefault } from '../configuration.ts';
import type { LocalFile } from '../data/local-file.ts';
import type { Terminal } from './terminal.ts';

export interface SummaryOptions {
  local: LocalFile;
  /** A chat model that the catalogue offers. */
  model: string;
  dataDir: string;
  /** Undefined if a mail server sends them. */
  mailFolder: string | undefined;
}

export function printSummary(terminal: Terminal, options: SummaryOptions): void {
  const { local } = options;
  const rows = [
    ['Dashboard', local.adminUrl],
    ['Demo customer', `${local.demo.email}  ${local.demo.password}`],
    ['  proxy key', `${local.demo.proxyKey}  (pays for requests to /v1)`],
    ['  billing key', `${local.demo.billingKey}  (manages keys at /api/keys)`],
    ['Operator', `${local.operator.email}  ${local.operator.password}`],
    ['Proxy', `${local.proxyUrl}/v1`],
    ['Admin', `${local.adminUrl}/api  (reference: ${local.docsUrl})`],
    ['E-mails', options.mailFolder === undefined ? 'sent through SMTP_URL' : `${shown(options.mailFolder)}/*.eml`],
    ['Data and logs', `${shown(options.dataDir)} (local.json has all of the above)`],
  ];
  terminal.line();
  for (const [name = '', value = ''] of rows) terminal.line(`  ${name.padEnd(15)}${value}`);
  terminal.line();
  terminal.line(`  ${terminal.bold('Open in a browser:')} ${local.adminUrl}`);
  terminal.line(
    '  This is the dashboard: sign in as the demo customer or as the operator. The API reference is where you can',
  );
  terminal.line('  call every endpoint: click “Authorize” and enter an access token or, for /v1, the proxy key.');
  terminal.line();
  terminal.line(terminal.bold('  Ask the demo model; the second command streams the response:'));
  terminal.line();
  terminal.line(curl(options, false));
  terminal.line();
  terminal.line(curl(options, true));
  terminal.line();
  terminal.line(`  The operator's command line: ${gateway(options)} --help`);
  terminal.line('  To add real providers, see docs/catalogue.md.');
  terminal.line('  Stop with Ctrl-C.');
}

/** Not indented, so that it can be copied. */
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

/** The command line finds the default data folder by itself. */
function gateway({ dataDir }: SummaryOptions): string {
  const folder = shown(dataDir);
  return `${folder === dataDirByDefault ? '' : `DATA_DIR=${folder} `}npm run gateway --`;
}

/** Relative to the current directory, if the path is inside it. */
function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}
