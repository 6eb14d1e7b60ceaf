/** Profiles name the function that was at an address when the sample was taken, as far as addresses reveal it. */
import { expect, test } from 'bun:test';
import { JitDump } from '../../../bench/profile/jit-dump.ts';

interface Chunk {
  readonly start: number;
  readonly bytes: number;
  readonly name: string;
}

/** As in perf's specification: a header of 40 bytes, then one record for each block of code. */
function dumpOf(chunks: readonly Chunk[]): Buffer {
  const header = Buffer.alloc(40);
  header.writeUInt32LE(0x4a695444, 0);
  header.writeUInt32LE(header.length, 8);
  const records = chunks.map(({ start, bytes, name }) => {
    const named = Buffer.from(`${name}\0`);
    const record = Buffer.alloc(56 + named.length + bytes);
    record.writeUInt32LE(record.length, 4);
    record.writeBigUInt64LE(BigInt(start), 32);
    record.writeBigUInt64LE(BigInt(bytes), 40);
    named.copy(record, 56);
    return record;
  });
  return Buffer.concat([header, ...records]);
}

/** The function at each address, as far as the dump contains it. */
function namesAt(addresses: readonly number[], chunks: readonly Chunk[]): (string | undefined)[] {
  const dump = new JitDump(dumpOf(chunks));
  return addresses.map((address) => dump.functionAt(address));
}

test("an address belongs to the function around it in any compilation tier, and not the function's end", () => {
  const chunks = [
    { start: 0x7f0000001000, bytes: 16, name: 'JSC-FTL: relay#AbC123' },
    { start: 0x7f0000001010, bytes: 16, name: 'JSC-Baseline: #Ad0DV3' },
  ];
  expect(namesAt([0x7f0000001000, 0x7f000000100f, 0x7f0000001010], chunks)).toEqual(['relay', 'relay', '(anonymous)']);
  expect(namesAt([0x7f0000001020, 0x7f0000000fff], chunks)).toEqual([undefined, undefined]);
});

test('the later one counts of two functions at the same address', () => {
  const former = { start: 4_096, bytes: 64, name: 'JSC-DFG: former#A' };
  const later = { start: 4_090, bytes: 32, name: 'JSC-DFG: later#B' };
  expect(namesAt([4_100, 4_130], [former, later])).toEqual(['later', 'former']);
});

test('compiled code that is not a function has no name, so that it counts for its caller', () => {
  const handler = { start: 4_096, bytes: 16, name: 'JSC-InlineCache: GetById handler' };
  const expression = { start: 4_112, bytes: 16, name: 'JSC-YarrJIT: /a#b/' };
  expect(namesAt([4_096, 4_112], [handler, expression])).toEqual([undefined, undefined]);
});

test('a dump is read up to a last record that is still being written', () => {
  const whole = dumpOf([
    { start: 4_096, bytes: 16, name: 'JSC-DFG: one#A' },
    { start: 8_192, bytes: 16, name: 'JSC-DFG: two#B' },
  ]);
  const dump = new JitDump(whole.subarray(0, -1));
  expect(dump.functionAt(4_096)).toBe('one');
  expect(dump.functionAt(8_192)).toBeUndefined();
});

test('a file that is not a dump is refused', () => {
  expect(() => new JitDump(Buffer.from('something that perf has not written'))).toThrow('not a JIT dump');
});
