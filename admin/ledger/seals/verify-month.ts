/** Compares a month with its seal, and the seal with the one before. Changes nothing. */
import type { Sql } from 'postgres';
import { counted } from '../../../shared/counted.ts';
import { formatUsd, nanoUsd } from '../../../shared/money.ts';
import type { SealedPart } from '../../database/tables/seals.ts';
import { ChargeFile } from '../archive/file/charge-file.ts';
import { findFile, type MonthFile, problemOfFile } from '../archive/find-file.ts';
import type { UsageArchive } from '../archive/usage-archive.ts';
import { FileEvents } from './file-events.ts';
import { problemsOfKeptLines } from './kept-lines.ts';
import { sealFormat } from './row-text.ts';
import {
  hashSeal,
  readAccounts,
  readBlocks,
  readSeals,
  type Seal,
  type SealedAccount,
  type SealedBlock,
} from './seal.ts';
import { type SealedRows, sealedRowsOf } from './sealed-rows.ts';
import { readEarlyCharges, sumAccounts } from './sum-accounts.ts';

export interface VerifiedMonth {
  /** `2026-10` */
  readonly month: string;
  /** Of the seal, in hexadecimal. */
  readonly hash: string;
  readonly lines: number;
  readonly events: number;
  /** Sentences; none if the month is what was sealed. */
  readonly problems: readonly string[];
}

/** More would not help. */
const problemsMax = 20;

export interface VerifyWork {
  readonly sql: Sql;
  readonly archive: UsageArchive;
  readonly signal?: AbortSignal | undefined;
  /** Whether every charge of an archived month is read. Otherwise its file is compared as a whole, in a hundredth of the time. */
  readonly readsFiles: boolean;
}

/** Undefined if the month is not sealed. */
export async function verifyMonth(work: VerifyWork, month: string): Promise<VerifiedMonth | undefined> {
  const { sql, archive, signal } = work;
  const seals = await readSeals(sql);
  const position = seals.findIndex((seal) => seal.month.month === `${month}-01`);
  const seal = seals[position];
  if (seal === undefined || seal.hash === null) return undefined;
  const blocks = await readBlocks(sql, seal.month);
  const accounts = await readAccounts(sql, seal.month.month);
  const previous = seals[position - 1];
  const file = await findFile(sql, seal.month.month);
  const ofFile = file && (await problemOfFile(archive.store, file, signal));
  const problems = [
    ...problemsOfSeal(seal, previous, hashSeal(seal, blocks, accounts)),
    ...(ofFile === undefined ? [] : [ofFile]),
  ];
  if (ofFile === undefined)
    problems.push(...(await problemsOfContent(work, { seal, previous, blocks, accounts, file })));
  // What was looked for in the tables has left them for a file since.
  if (problems.length > 0 && file === undefined && (await findFile(sql, seal.month.month)) !== undefined)
    return verifyMonth(work, month);
  const rowsOf = (part: SealedPart) => blocks.reduce((sum, block) => sum + (block.part === part ? block.rows : 0), 0);
  return { month, hash: seal.hash, lines: rowsOf('lines'), events: rowsOf('events'), problems };
}

interface Content {
  readonly seal: Seal;
  readonly previous: Seal | undefined;
  readonly blocks: readonly SealedBlock[];
  readonly accounts: ReadonlyMap<number, SealedAccount>;
  /** Of its charges, if they are in one. */
  readonly file: MonthFile | undefined;
}

async function problemsOfContent(
  { sql, archive, signal, readsFiles }: VerifyWork,
  { seal, previous, blocks, accounts, file }: Content,
): Promise<string[]> {
  const { month, columns } = seal;
  const parts = [...(await sealedRowsOf({ sql, month, columns }))];
  const ofFile = blocks.filter(({ part }) => part === 'events');
  if (file !== undefined && !readsFiles) {
    const others = blocks.filter(({ part }) => part !== 'events');
    return [...(await problemsOfRows({ parts, blocks: others, signal })), ...(await problemsOfKeptLines(sql, seal))];
  }
  if (file !== undefined) {
    const opened = await ChargeFile.open(archive.store, file);
    parts.push(new FileEvents({ file: opened, blocks: ofFile, columns: columns.events, end: month.end }));
  }
  const early = await readEarlyCharges({ sql, archive }, month);
  return [
    ...(await problemsOfRows({ parts, blocks, signal })),
    ...(await problemsOfAccounts(sql, { previous, parts, early }, accounts)),
    ...(await problemsOfKeptLines(sql, seal)),
  ];
}

function problemsOfSeal(seal: Seal, previous: Seal | undefined, hash: string): string[] {
  const problems: string[] = [];
  if (seal.format !== sealFormat)
    problems.push(`The seal has format ${seal.format}, which this version does not know.`);
  if (seal.hash !== hash) problems.push('The blocks and balances of the seal do not have its hash.');
  if (seal.previousHash !== (previous?.hash ?? ''))
    problems.push(`The seal does not continue that of ${previous?.month.month.slice(0, 7) ?? 'any month before'}.`);
  return problems;
}

/** Of these parts of the month, and nothing else. */
export async function problemsOfRows({
  parts,
  blocks,
  signal,
}: {
  parts: readonly SealedRows[];
  blocks: readonly SealedBlock[];
  signal: AbortSignal | undefined;
}): Promise<string[]> {
  const problems: string[] = [];
  const missing = blocks.filter((block) => !parts.some(({ part }) => part === block.part));
  if (missing.length > 0) problems.push(`The ${missing[0]?.part} of the month are missing.`);
  for (const rows of parts) {
    let after: string | undefined;
    for (const block of blocks.filter(({ part }) => part === rows.part)) {
      signal?.throwIfAborted();
      const found = await rows.hash({ after, until: block.lastKey });
      if (found.hash !== block.hash) problems.push(describeBlock(block, after, found.rows));
      if (problems.length >= problemsMax) return problems;
      after = block.lastKey;
    }
    if ((await rows.endOfBlock(after)) !== undefined)
      problems.push(`There are ${rows.part} after the last one that was sealed (${nameOfKey(rows.part, after)}).`);
  }
  return problems;
}

function describeBlock({ part, lastKey, rows }: SealedBlock, after: string | undefined, found: number): string {
  const from = after === undefined ? '' : ` after ${nameOfKey(part, after)}`;
  const what =
    found === rows ? `${counted(rows, 'row')}, but not the same` : `${counted(found, 'row')} instead of ${rows}`;
  return `The ${part}${from} up to ${nameOfKey(part, lastKey)} are not what was sealed: ${what}.`;
}

function nameOfKey(part: SealedPart, key: string | undefined): string {
  if (key === undefined) return 'none';
  return part === 'lines' ? `journal ${key}` : `request ${key}`;
}

async function problemsOfAccounts(
  sql: Sql,
  summed: Parameters<typeof sumAccounts>[1],
  accounts: ReadonlyMap<number, SealedAccount>,
): Promise<string[]> {
  const expected = await sumAccounts(sql, summed);
  const ids = [...new Set([...expected.keys(), ...accounts.keys()])];
  const problems = ids.flatMap((id) => {
    const [sealed, found] = [describeSums(accounts.get(id)), describeSums(expected.get(id))];
    return sealed === found ? [] : [`Account ${id}: the seal says ${sealed}; the sums of its lines are ${found}.`];
  });
  return problems.slice(0, problemsMax);
}

function describeSums(sums: SealedAccount | undefined): string {
  if (sums === undefined) return 'nothing';
  const { balanceNano, endBalanceNano, creditedNano } = sums;
  return `a balance of ${usd(balanceNano)}, at the end ${usd(endBalanceNano)}, credits of ${usd(creditedNano)}`;
}

function usd(nano: bigint): string {
  const text = formatUsd(nanoUsd(nano));
  return text.startsWith('-') ? `-$${text.slice(1)}` : `$${text}`;
}
