/** Files that are made to look shorter than a decoder plays them. */
import { describe, expect, test } from 'bun:test';
import { measureAudio } from '../../../../proxy/pricing/audio-length/audio-length.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';
import { ByteWriter } from './files/byte-writer.ts';
import { aacFile } from './files/mp4-files.ts';
import { mpegFrames, secondsOf, times } from './files/packets.ts';
import { flacFile, mp3File, oggFile } from './files/plain-files.ts';
import { webmFile } from './files/webm-files.ts';

const lengthOf = (bytes: Uint8Array) => measureAudio(bytes)?.secondsMax ?? 0;
const joined = (parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

test.each([
  ['mp3', mp3File],
  ['flac', flacFile],
  ['ogg', oggFile],
])('%s files in a row are at least as long as both of them', (_, make) => {
  for (const seed of times(60, (index) => index)) {
    const [one, other] = [make(new SeededRandom(seed)), make(new SeededRandom(seed + 1_000))];
    const sum = make === flacFile ? one.seconds : one.seconds + other.seconds;
    expect(lengthOf(joined([one.bytes, other.bytes]))).toBeGreaterThanOrEqual(sum - 1e-9);
  }
});

test('a track that is edited to play five times is five times as long', () => {
  for (const seed of times(20, (index) => index)) {
    const [once, five] = [aacFile(new SeededRandom(seed)), aacFile(new SeededRandom(seed), { edits: 5 })];
    expect(lengthOf(five.bytes)).toBeCloseTo(5 * once.seconds, 6);
  }
});

test('clusters of a WebM file count that another element hides', () => {
  for (const seed of times(60, (index) => index)) {
    const { bytes, seconds } = webmFile(new SeededRandom(seed));
    const cluster = Buffer.from(bytes).indexOf(Buffer.from('1f43b675', 'hex'));
    // A void element that ends in the middle of the first cluster.
    const hiding = new ByteWriter()
      .big(0xec, 1)
      .big(0x4000 + 30, 2)
      .toBytes();
    const hidden = joined([bytes.subarray(0, cluster), hiding, bytes.subarray(cluster)]);
    expect({ seed, isCovered: lengthOf(hidden) >= seconds - 1e-9 }).toEqual({ seed, isCovered: true });
  }
});

test('MP3 frames count that are apart, and those within a longer frame that none follows', () => {
  const frames = mpegFrames(new SeededRandom(7));
  const head = frames.slice(0, 8).map(({ bytes }) => bytes);
  const rest = frames.slice(8).map(({ bytes }) => bytes);
  for (const between of [[0], [0x20, 0xff], [0xff, 0xfb, 0xe0, 0x64]]) {
    const apart = rest.map((bytes) => Uint8Array.from([...between, ...bytes]));
    expect(lengthOf(joined([...head, ...apart]))).toBeGreaterThanOrEqual(secondsOf(frames) - 1e-9);
  }
});

function wavOf(samples: Uint8Array, bits = 16): Uint8Array {
  const format = new ByteWriter()
    .text('RIFF\0\0\0\0WAVEfmt ')
    .little(16, 4)
    .little(1, 2)
    .little(2, 2)
    .little(192_000, 4);
  return format.little(0, 6).little(bits, 2).text('data').little(samples.length, 4).raw(samples).toBytes();
}

describe('a WAV file is refused', () => {
  test('whose 16-bit samples are MP3 frames, which FFmpeg plays as such', () => {
    const frames = joined(mpegFrames(new SeededRandom(3)).map(({ bytes }) => bytes));
    expect(measureAudio(wavOf(frames))).toBeUndefined();
    expect(measureAudio(wavOf(joined([new Uint8Array(100).fill(7), frames])))).toBeUndefined();
    expect(measureAudio(wavOf(frames, 24))?.format).toBe('wav');
  });

  test('whose 16-bit samples are AAC or AC-3 frames', () => {
    const random = new SeededRandom(5);
    const aac = times(20, () => new ByteWriter().raw([0xff, 0xf1, 0x50, 0x80, 8, 0, 0]).random(random, 57).toBytes());
    const ac3 = times(20, () => new ByteWriter().raw([0x0b, 0x77, 0, 0, 0, 0x40, 0]).random(random, 121).toBytes());
    expect(measureAudio(wavOf(joined(aac)))).toBeUndefined();
    expect(measureAudio(wavOf(joined(ac3)))).toBeUndefined();
  });

  test('that is a transport stream to FFmpeg', () => {
    const random = new SeededRandom(5);
    const packets = times(200, () => new ByteWriter().raw([0x47]).random(random, 187).toBytes());
    expect(measureAudio(wavOf(joined(packets), 24))).toBeUndefined();
  });
});

test('what is none of the formats has no length', () => {
  for (const text of ['', 'RIFF', '%PDF-1.7', 'RIFF\0\0\0\0AVI LIST', '#!AMR\n', 'FORM\0\0\0\0AIFF', 'ID3']) {
    expect(measureAudio(Uint8Array.from(Buffer.from(text, 'latin1')))).toBeUndefined();
  }
});
