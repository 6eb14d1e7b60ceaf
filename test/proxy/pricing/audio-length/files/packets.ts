/** Packets with plausible beginnings and random contents, and how long a decoder plays them. */
import type { SeededRandom } from '../../../../harness/seeded-random.ts';
import { ByteWriter } from './byte-writer.ts';
import { vorbisSetup } from './vorbis-setup.ts';

export interface Packet {
  readonly bytes: Uint8Array;
  readonly seconds: number;
}

export function opusPackets(random: SeededRandom): Packet[] {
  const configuration = random.integer(0, 31);
  const frame =
    configuration < 12
      ? ([10, 20, 40, 60][configuration % 4] ?? 0)
      : configuration < 16
        ? ([10, 20][configuration % 2] ?? 0)
        : ([2.5, 5, 10, 20][configuration % 4] ?? 0);
  return times(random.integer(1, 60), () => {
    const code = random.integer(0, 3);
    const count = random.integer(1, Math.floor(120 / frame));
    const frames = code === 0 ? 1 : code < 3 ? 2 : count;
    const writer = new ByteWriter().big(configuration * 8 + code, 1);
    if (code === 3) writer.big(count, 1);
    return {
      bytes: writer.random(random, random.integer(1, 300)).toBytes(),
      seconds: Math.min(120, frame * frames) / 1_000,
    };
  });
}

const layer3Rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const halfRates = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

/** Layer III at changing bit rates. */
export function mpegFrames(random: SeededRandom): Packet[] {
  const version = random.pick([0, 2, 3]);
  const rateIndex = random.integer(0, 2);
  const rate = ([44_100, 48_000, 32_000][rateIndex] ?? 0) / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const samples = version === 3 ? 1_152 : 576;
  return times(random.integer(8, 60), () => {
    const bitRate = random.integer(1, 14);
    const padding = random.integer(0, 1);
    const kilobits = (version === 3 ? layer3Rates : halfRates)[bitRate] ?? 0;
    const length = Math.floor((samples * 125 * kilobits) / rate) + padding;
    const writer = new ByteWriter().big(0xff, 1).big(0xe0 | (version << 3) | 3, 1);
    writer.big((bitRate << 4) | (rateIndex << 2) | (padding << 1), 1).big(random.integer(0, 254), 1);
    return { bytes: writer.random(random, length - 4).toBytes(), seconds: samples / rate };
  });
}

/** Frames of one size, as encoders write them, with the number of the frame in one byte. */
export function flacFrames(random: SeededRandom, rate: number): Packet[] {
  const code = random.integer(8, 12);
  return times(random.integer(2, 40), (index) => {
    const header = [0xff, 0xf8, code << 4, 0, index];
    const writer = new ByteWriter().raw(header).big(checksumOf(header), 1);
    return { bytes: writer.random(random, random.integer(10, 400)).toBytes(), seconds: 2 ** code / rate };
  });
}

function checksumOf(bytes: readonly number[]): number {
  let rest = 0;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit += 1) rest = rest & 0x80 ? ((rest << 1) ^ 0x107) & 0xff : rest << 1;
  }
  return rest;
}

/** The content of a FLAC file's first block of metadata; the number of samples is a claim. */
export function flacStreamInfo(rate: number): ByteWriter {
  const writer = new ByteWriter().big(4_096, 2).big(4_096, 2).big(0, 6);
  writer
    .big(rate * 16, 3)
    .big(0xf0, 1)
    .claim(1)
    .big(123_456, 4)
    .claim(4);
  return writer.big(0, 16);
}

export interface VorbisStream {
  readonly identification: Uint8Array;
  readonly comment: Uint8Array;
  readonly setup: Uint8Array;
  readonly packets: Packet[];
}

export function vorbisStream(random: SeededRandom): VorbisStream {
  const rate = random.pick([8_000, 22_050, 44_100, 48_000]);
  const [short, long] = [random.integer(6, 8), random.integer(9, 13)];
  const channels = random.integer(1, 6);
  const identification = new ByteWriter().text('\x01vorbis').little(0, 4).little(channels, 1).little(rate, 4);
  identification
    .little(0, 12)
    .little(long * 16 + short, 1)
    .little(1, 1);
  const modes = times(random.integer(1, 4), () => random.chance(0.5));
  const setup = new ByteWriter().text('\x05vorbis').raw(vorbisSetup({ channels, modes }, random));
  const modeBits = modes.length === 1 ? 0 : 32 - Math.clz32(modes.length - 1);
  const packets = times(random.integer(1, 60), () => {
    const mode = random.integer(0, modes.length - 1);
    const first = (mode << 1) | (random.integer(0, 15) << (1 + modeBits));
    const bytes = new ByteWriter()
      .big(first & 0xff, 1)
      .random(random, random.integer(0, 300))
      .toBytes();
    return { bytes, seconds: 2 ** (modes[mode] ? long : short) / 2 / rate };
  });
  const comment = new ByteWriter().text('\x03vorbis').little(0, 8).little(1, 1).toBytes();
  return { identification: identification.toBytes(), comment, setup: setup.toBytes(), packets };
}

export function times<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

export function secondsOf(packets: readonly Packet[]): number {
  return packets.reduce((sum, { seconds }) => sum + seconds, 0);
}
