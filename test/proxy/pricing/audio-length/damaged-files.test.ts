/** Damaged files and files of anything are measured or refused, in linear time. */
import { describe, expect, test } from 'bun:test';
import { measureAudio } from '../../../../proxy/pricing/audio-length/audio-length.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';
import { makers } from './any-file.ts';
import { times } from './files/packets.ts';

/** How many bytes are read one by one. */
function readsOf(bytes: Uint8Array): number {
  let reads = 0;
  const watch = (target: Uint8Array): Uint8Array =>
    new Proxy(target, {
      get(owner, name) {
        if (typeof name === 'string' && /^\d/.test(name)) reads += 1;
        if (name === 'subarray') return (...range: number[]) => watch(owner.subarray(...range));
        const member = Reflect.get(owner, name, owner);
        return typeof member === 'function' ? member.bind(owner) : member;
      },
    });
  measureAudio(watch(bytes));
  return reads;
}

function isFit(bytes: Uint8Array): boolean {
  const measured = measureAudio(bytes);
  return measured === undefined || (Number.isFinite(measured.secondsMax) && measured.secondsMax >= 0);
}

describe.each(Object.entries(makers))('a %s file', (_, make) => {
  test('that ends at any byte has a length or none (campaign)', () => {
    for (const seed of times(inCampaign(1, 4), (index) => index)) {
      const { bytes } = make(new SeededRandom(seed));
      const unfit = times(Math.min(bytes.length, 3_000), (end) => end).filter((end) => !isFit(bytes.subarray(0, end)));
      expect({ seed, unfit }).toEqual({ seed, unfit: [] });
    }
  });

  test('with flipped bits has a length or none, after a number of steps that is linear in its size (campaign)', () => {
    for (const seed of times(inCampaign(40, 200), (index) => index)) {
      const random = new SeededRandom(seed);
      const bytes = make(random).bytes.slice();
      for (let left = random.integer(1, 20); left > 0; left -= 1) {
        const at = random.integer(0, random.chance(0.7) ? Math.min(200, bytes.length - 1) : bytes.length - 1);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
      }
      expect({ seed, isFit: isFit(bytes) }).toEqual({ seed, isFit: true });
      if (seed % 10 === 0) expect(readsOf(bytes) / (bytes.length + 1_000)).toBeLessThan(40);
    }
  });
});

/** What the formats begin with, and what is repeated in them. */
const starts = [
  'RIFF\0\0\0\0WAVEfmt ',
  'fLaC',
  'OggS',
  '\x1aE\xdf\xa3\x84',
  '\0\0\0\x08ftyp',
  '\xff\xfb\x90\x64',
  'ID3\x04\0\0\0\0\0\0',
];
const pieces = [
  ...[
    'OggS',
    '\x1fC\xb6u\x80',
    '\xff\xfb\x90\x64',
    '\xff\xf8\xc9\x18',
    '\xff\xfb\0',
    '\0\0\0\x08moov',
    '\0\0\0\x10trak',
  ],
  ...[
    '\xa3\x81',
    '\xa0\x80',
    '\0\0\0\x18trun\0\0\0\0\0\0\0\0\xff\xff\xff\xff',
    'data',
    '\x01',
    '\xff',
    'G',
    '\x05vorbis',
  ],
];

test('bytes of any kind have a length or none, after a number of steps that is linear in their size (campaign)', () => {
  for (const seed of times(inCampaign(60, 300), (index) => index)) {
    const random = new SeededRandom(seed);
    const parts = [random.pick(starts)];
    const few = times(random.integer(1, 3), () => random.pick(pieces));
    for (let left = random.integer(0, 1_500); left > 0; left -= 1) {
      const other = String.fromCharCode(...times(random.integer(0, 8), () => random.integer(0, 255)));
      parts.push(random.pick(few), ...(random.chance(0.2) ? [other] : []));
    }
    const bytes = Uint8Array.from(Buffer.from(parts.join(''), 'latin1'));
    expect({ seed, isFit: isFit(bytes) }).toEqual({ seed, isFit: true });
    if (seed % 4 === 0)
      expect({ seed, reads: readsOf(bytes) / (bytes.length + 1_000) < 60 }).toEqual({ seed, reads: true });
  }
});

test('a file of more pieces than can be looked at is refused', () => {
  const page = (segments: number, flags = 0) => [
    ...[...Buffer.from('OggS'), 0, flags, ...new Array(20).fill(1), segments],
    ...new Array(segments).fill(0),
  ];
  const opus = [...page(1, 2).slice(0, -1), 19, ...Buffer.from('OpusHead'), ...new Array(11).fill(1)];
  const webm = [0x1a, 0x45, 0xdf, 0xa3, 0x80, 0x18, 0x53, 0x80, 0x67, 0x01, ...new Array(7).fill(0xff)];
  const track = [0xae, 0x8e, 0xd7, 0x81, 1, 0x83, 0x81, 2, 0x86, 0x86, ...Buffer.from('A_OPUS')];
  for (const [head, piece] of [
    [opus, page(255)],
    [
      [...webm, 0x16, 0x54, 0xae, 0x6b, 0x90, ...track],
      [0xec, 0x80],
    ],
  ] as const) {
    const repeated = (times: number) =>
      Uint8Array.from([...head, ...Array.from({ length: times }, () => piece).flat()]);
    expect(measureAudio(repeated(100))).toBeDefined();
    expect(measureAudio(repeated(piece.length > 2 ? 4_000 : 3_000_000))).toBeUndefined();
  }
});
