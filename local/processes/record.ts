/**
 * The recorded list of started processes, from which the processes of a killed supervisor can be ended:
 * by its guardian immediately, otherwise by the next start.
 *
 * Invariant: only a process whose id and start time both match the record is ended.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readIfPresent, writePrivateFile } from '../data/private-file.ts';
import { endProcess } from './end.ts';
import { identityOf } from './identity.ts';

export interface ProcessRecord {
  name: string;
  pid: number;
  identity: string;
  /** The signal that asks this process to shut down. */
  signal: NodeJS.Signals;
  graceMs: number;
}

/** A record of a process that runs now; undefined if it has ended already. */
export function recordOf(process: Omit<ProcessRecord, 'identity'>): ProcessRecord | undefined {
  const identity = identityOf(process.pid);
  return identity === undefined ? undefined : { ...process, identity };
}

export function writeRecords(path: string, records: readonly ProcessRecord[]): void {
  writePrivateFile(path, `${JSON.stringify(records, null, 2)}\n`);
}

/** Ends the recorded processes that still run, the last one first; resolves to their names. */
export async function endRecorded(path: string): Promise<string[]> {
  const ended: string[] = [];
  for (const record of readRecords(path).reverse()) {
    if (identityOf(record.pid) !== record.identity) continue;
    await endProcess(record.pid, record);
    ended.push(record.name);
  }
  return ended;
}

/** Writes one process's own record into a folder. Returns what removes it. */
export function writeRecordInto(folder: string, process: Omit<ProcessRecord, 'identity'>): () => void {
  const record = recordOf(process);
  if (record === undefined) return () => {};
  const path = join(folder, `${record.pid}.json`);
  writePrivateFile(path, JSON.stringify(record));
  return () => rmSync(path, { force: true });
}

export function recordsIn(folder: string): ProcessRecord[] {
  const texts = readdirSync(folder).map((name) =>
    name.endsWith('.json') ? readIfPresent(join(folder, name)) : undefined,
  );
  return texts.filter((text) => text !== undefined).map((text) => JSON.parse(text) as ProcessRecord);
}

function readRecords(path: string): ProcessRecord[] {
  const text = readIfPresent(path);
  // Only this program writes the file, and it replaces it as a whole.
  return text === undefined ? [] : (JSON.parse(text) as ProcessRecord[]);
}
