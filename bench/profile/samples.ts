/** Reads what `perf script -F comm,tid,ip,sym,dso` prints: a stack for each sample, innermost frame first. */

export interface Sample {
  readonly thread: string;
  readonly frames: readonly Frame[];
}

export interface Frame {
  readonly address: number;
  readonly place: Place;
}

/** The origin of the code. Code compiled at run time is in memory that belongs to no file. */
export type Place = 'JavaScript' | 'Bun' | 'kernel' | 'C library';

const headLine = /^(\S.*?)\s+\d+\s*$/;
const frameLine = /^\s+([0-9a-f]+) .*\(([^()]*)\)$/;

export function readSamples(text: string): Sample[] {
  return text.split('\n\n').flatMap((block) => {
    const [head = '', ...lines] = block.split('\n').filter((line) => line !== '');
    const thread = headLine.exec(head)?.[1];
    return thread === undefined ? [] : [{ thread, frames: lines.flatMap(readFrame) }];
  });
}

function readFrame(line: string): Frame[] {
  const [, address, file] = frameLine.exec(line) ?? [];
  if (address === undefined || file === undefined) return [];
  return [{ address: Number.parseInt(address, 16), place: placeOf(file) }];
}

function placeOf(file: string): Place {
  if (file.startsWith('/tmp/perf-') || file.startsWith('//anon') || file.endsWith('.dump')) return 'JavaScript';
  if (file.startsWith('[')) return 'kernel';
  return /\bbun(\.exe)?$/.test(file) ? 'Bun' : 'C library';
}
