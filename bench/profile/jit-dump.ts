/**
 * Maps addresses to JavaScript functions, from the dump that JavaScriptCore writes of compiled code.
 * The format is perf's: https://github.com/torvalds/linux/blob/master/tools/perf/Documentation/jitdump-specification.txt
 */

const magic = 0x4a695444;
const headerSizeAt = 8;
const recordPrefixBytes = 16;
const codeLoad = 0;
/** After the prefix: process, thread, virtual address, address, size, index, name. */
const codeAddressAt = recordPrefixBytes + 16;
const codeSizeAt = recordPrefixBytes + 24;
const codeNameAt = recordPrefixBytes + 40;
/** `JSC-FTL: name#hash`; other compiled code works for a function: thunks, inline caches, patterns. */
const functionName = /^JSC-(?:Baseline|DFG|FTL): (.*?)(?:#\w+)?$/;

interface Code {
  readonly start: number;
  readonly end: number;
  readonly functionName: string | undefined;
  /** Memory is reused, so the latest entry counts. */
  readonly order: number;
}

export class JitDump {
  readonly #codes: readonly Code[];
  readonly #longest: number;
  readonly #found = new Map<number, string | undefined>();

  /** Throws if it is not a JIT dump. */
  constructor(dump: Buffer) {
    if (dump.length < recordPrefixBytes || dump.readUInt32LE(0) !== magic) throw new Error('this is not a JIT dump');
    this.#codes = readCodes(dump).sort((a, b) => a.start - b.start || a.order - b.order);
    this.#longest = this.#codes.reduce((longest, { start, end }) => Math.max(longest, end - start), 0);
  }

  /** Undefined if there is no function at the address. */
  functionAt(address: number): string | undefined {
    if (!this.#found.has(address)) this.#found.set(address, this.#find(address)?.functionName);
    return this.#found.get(address);
  }

  #find(address: number): Code | undefined {
    let latest: Code | undefined;
    for (let index = this.#firstBehind(address) - 1; index >= 0; index -= 1) {
      const code = this.#codes[index];
      if (code === undefined || code.start < address - this.#longest) break;
      if (code.end > address && code.order > (latest?.order ?? -1)) latest = code;
    }
    return latest;
  }

  #firstBehind(address: number): number {
    let low = 0;
    let high = this.#codes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#codes[middle]?.start ?? 0) <= address) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function readCodes(dump: Buffer): Code[] {
  const codes: Code[] = [];
  let at = dump.readUInt32LE(headerSizeAt);
  // The process may still be writing its last record.
  while (at + recordPrefixBytes <= dump.length) {
    const kind = dump.readUInt32LE(at);
    const bytes = dump.readUInt32LE(at + 4);
    if (bytes === 0 || at + bytes > dump.length) break;
    if (kind === codeLoad) codes.push(readCode(dump, { at, order: codes.length }));
    at += bytes;
  }
  return codes;
}

function readCode(dump: Buffer, { at, order }: { at: number; order: number }): Code {
  const start = Number(dump.readBigUInt64LE(at + codeAddressAt));
  const name = dump.toString('utf8', at + codeNameAt, dump.indexOf(0, at + codeNameAt));
  const found = functionName.exec(name)?.[1];
  return {
    start,
    end: start + Number(dump.readBigUInt64LE(at + codeSizeAt)),
    functionName: found === '' ? '(anonymous)' : found,
    order,
  };
}
