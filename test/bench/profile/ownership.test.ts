/** Parsing perf's output, and attributing the time. */
import { expect, test } from 'bun:test';
import type { JitDump } from '../../../bench/profile/jit-dump.ts';
import { shareOut } from '../../../bench/profile/ownership.ts';
import { readSamples } from '../../../bench/profile/samples.ts';

const printed = `bun.exe 27523 
	ffffffff81a2b3c4 tcp_sendmsg ([kernel.kallsyms])
	         18562c4 [unknown] (/project/node_modules/bun/bin/bun.exe)
	            1000 [unknown] (/tmp/perf-27523.map)
	            2000 [unknown] (/tmp/perf-27523.map)
	            3000 [unknown] (/tmp/perf-27523.map)
	           2724a __libc_start_call_main (/usr/lib/x86_64-linux-gnu/libc.so.6)

HTTP Client 27539 
	         18562c4 [unknown] (/project/node_modules/bun/bin/bun.exe)

bun.exe 27523 
	            3000 [unknown] (/tmp/perf-27523.map)
`;
const names = new Map([
  [0x2000, 'settle'],
  [0x3000, 'relay'],
]);
const dump = { functionAt: (address: number) => names.get(address) } as unknown as JitDump;

test('every sample has its thread and its frames, innermost first', () => {
  const samples = readSamples(printed);
  expect(samples.map(({ thread }) => thread)).toEqual(['bun.exe', 'HTTP Client', 'bun.exe']);
  expect(samples[0]?.frames.map(({ place }) => place)).toEqual([
    'kernel',
    'Bun',
    'JavaScript',
    'JavaScript',
    'JavaScript',
    'C library',
  ]);
});

test('own time belongs to the innermost named function, and total time to each one around it', () => {
  const { samples, owners, inclusive, places, threads } = shareOut(readSamples(printed), dump);
  expect(samples).toBe(3);
  expect(Object.fromEntries(owners)).toEqual({ settle: 1, '(no JavaScript)': 1, relay: 1 });
  expect(Object.fromEntries(inclusive)).toEqual({ settle: 1, relay: 2 });
  expect(Object.fromEntries(places)).toEqual({ kernel: 1, Bun: 1, JavaScript: 1 });
  expect(Object.fromEntries(threads)).toEqual({ 'bun.exe': 2, 'HTTP Client': 1 });
});
