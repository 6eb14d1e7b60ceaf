/**
 * `npm run screenshots:documents [NAME …]`: writes every form of an accounting document into
 * dashboard/screenshots/documents: as PDF, and as pictures if `pdftoppm` (poppler-utils) is installed. Look at them after
 * a change.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocumentData } from '../../../../admin/documents/document-data.ts';
import { renderDocument } from '../../../../admin/documents/render/render-document.ts';
import { ringPng } from './ring-png.ts';
import * as samples from './samples.ts';

const folder = join(import.meta.dir, '../../../../dashboard/screenshots/documents');
const { invoice, advanceInvoice, act, upd, taxInvoice, reconciliation, ofPersons, withoutVat, longParty } = samples;

const forms: readonly DocumentData[] = [invoice, advanceInvoice, act, upd, taxInvoice, reconciliation];
const long = <Data extends DocumentData>(data: Data): Data => ({
  ...data,
  seller: longParty(data.seller),
  buyer: longParty(data.buyer),
});
const lines = Array.from({ length: 25 }, () => reconciliation.lines).flat();
const manyPayments = Array.from({ length: 60 }, (_, index) => ({
  reference: `30d5f7a1-000f-5000-8000-${String(index).padStart(12, '0')}`,
  date: '2030-02-02',
  amount: '2033.33',
}));
const correction = { number: 2, date: '2030-03-05' };
const pictured: readonly [string, DocumentData][] = [
  ...forms.map((data) => [data.type, data] as [string, DocumentData]),
  ...forms.map((data) => [`${data.type}-person`, withoutVat(ofPersons(data))] as [string, DocumentData]),
  ...forms.map((data) => [`${data.type}-long`, long(data)] as [string, DocumentData]),
  ['advance_invoice-person', ofPersons(advanceInvoice)],
  ...[taxInvoice, upd].map((data) => [`${data.type}-corrected`, { ...data, correction }] as [string, DocumentData]),
  ['upd-payments', { ...upd, payments: manyPayments }],
  ['act-payments', { ...act, payments: manyPayments }],
  ['act-annex', { ...act, usage: samples.usageOf(120) }],
  ['act-cost-centers', { ...act, usage: samples.usageByCostCenter(9) }],
  ['reconciliation-pages', { ...reconciliation, opening: '-1500.00', closing: '-24999.99', lines }],
];

const wanted = process.argv.slice(2);
const chosen = new Map(
  pictured.filter(([name]) => wanted.length === 0 || wanted.some((part) => name.startsWith(part))),
);
const look = { stamp: ringPng(300), signature: ringPng(80) };
const pdftoppm = Bun.which('pdftoppm');

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const [name, data] of chosen) {
  const file = join(folder, `${name}.pdf`);
  await Bun.write(file, await renderDocument(data, name === 'invoice' || name === 'act' ? look : undefined));
  if (pdftoppm !== null) Bun.spawnSync([pdftoppm, '-r', '110', '-png', file, join(folder, name)]);
}
console.log(`${chosen.size} documents written to ${folder}`);
if (pdftoppm === null) console.log('Install poppler-utils for pictures.');
