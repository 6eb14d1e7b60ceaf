/** WAV, MP3, FLAC and Ogg files from a seed. */
import type { SeededRandom } from '../../../../harness/seeded-random.ts';
import { type AudioFile, ByteWriter } from './byte-writer.ts';
import {
  flacFrames,
  flacStreamInfo,
  mpegFrames,
  opusPackets,
  type Packet,
  secondsOf,
  vorbisStream,
} from './packets.ts';

const rates = [8_000, 16_000, 22_050, 44_100, 48_000, 96_000];
/** The codec's number in a WAV file, and the bits of its samples. */
const wavCodecs = [
  ...[[1, 8] as const, [1, 16] as const, [1, 24] as const, [1, 32] as const],
  ...[[3, 32] as const, [3, 64] as const, [6, 8] as const, [7, 8] as const],
];

export function wavFile(random: SeededRandom): AudioFile {
  const [code, bits] = random.pick(wavCodecs);
  const channels = random.integer(1, 6);
  const rate = random.pick(rates);
  const frameBytes = (channels * bits) / 8;
  const frames = random.integer(1, 2_000);
  const isExtensible = random.chance(0.3);
  const writer = new ByteWriter()
    .text(random.pick(['RIFF', 'RF64']))
    .little(random.integer(0, 9_999), 4)
    .claim(4);
  writer.text('WAVE');
  if (random.chance(0.5)) writer.text('LIST').little(11, 4).random(random, 12);
  writer
    .text('fmt ')
    .little(isExtensible ? 40 : 16, 4)
    .little(isExtensible ? 0xfffe : code, 2);
  writer
    .little(channels, 2)
    .little(rate, 4)
    .little(rate * frameBytes, 4)
    .claim(4)
    .little(frameBytes, 2)
    .claim(2);
  writer.little(bits, 2);
  if (isExtensible) writer.little(22, 2).little(bits, 2).little(3, 4).little(code, 2).random(random, 14);
  writer
    .text('data')
    .little(random.pick([frames * frameBytes, 0, 0xffff_ffff]), 4)
    .claim(4);
  writer.random(random, frames * frameBytes);
  const { claims } = writer;
  return { format: 'wav', bytes: writer.toBytes(), seconds: frames / rate, packetSeconds: 1 / rate, claims };
}

export function mp3File(random: SeededRandom): AudioFile {
  const frames = mpegFrames(random);
  const writer = new ByteWriter();
  if (random.chance(0.5)) {
    const size = random.integer(0, 300);
    writer
      .text('ID3\x04\0\0')
      .big(((size >> 7) << 8) | (size & 0x7f), 4)
      .random(random, size);
  }
  const [first] = frames;
  if (first !== undefined) writer.raw(countedFrame(first, writer));
  for (const { bytes } of frames.slice(1)) writer.raw(bytes);
  if (random.chance(0.5)) writer.text('TAG').random(random, 125);
  return fileOf('mp3', writer, frames);
}

/** A frame with the number of the frames, where it is long enough. */
function countedFrame(frame: Packet, writer: ByteWriter): Uint8Array {
  const at = 36;
  if (frame.bytes.length < at + 16) return frame.bytes;
  const info = new ByteWriter().text('Xing').big(3, 4).big(1_000, 4).big(99_999, 4).toBytes();
  writer.claims.push({ at: writer.length + at + 8, bytes: 8 });
  return Uint8Array.from([...frame.bytes.subarray(0, at), ...info, ...frame.bytes.subarray(at + 16)]);
}

export function flacFile(random: SeededRandom): AudioFile {
  const rate = random.pick(rates);
  const frames = flacFrames(random, rate);
  const writer = new ByteWriter().text('fLaC').big(0x80, 1).big(34, 3).append(flacStreamInfo(rate));
  for (const { bytes } of frames) writer.raw(bytes);
  return fileOf('flac', writer, frames);
}

export function oggFile(random: SeededRandom): AudioFile {
  return random.pick([oggOpusFile, oggVorbisFile, oggFlacFile])(random);
}

export function oggOpusFile(random: SeededRandom): AudioFile {
  const packets = opusPackets(random);
  const head = new ByteWriter().text('OpusHead').big(1, 1).big(2, 1).little(312, 2).little(48_000, 4).little(0, 3);
  const tags = new ByteWriter().text('OpusTags').little(0, 8);
  return oggOf(random, [head.toBytes(), tags.toBytes()], packets);
}

export function oggVorbisFile(random: SeededRandom): AudioFile {
  const { identification, comment, setup, packets } = vorbisStream(random);
  return oggOf(random, [identification, comment, setup], packets);
}

function oggFlacFile(random: SeededRandom): AudioFile {
  const rate = random.pick(rates);
  const head = new ByteWriter().text('\x7fFLAC').raw([1, 0, 0, 1]).text('fLaC').big(0, 1).big(34, 3);
  return oggOf(random, [head.append(flacStreamInfo(rate)).toBytes()], flacFrames(random, rate));
}

/** The first header has a page of its own. Other pages end anywhere, also within packets. */
function oggOf(random: SeededRandom, headers: readonly Uint8Array[], packets: readonly Packet[]): AudioFile {
  const writer = new ByteWriter();
  const serial = random.integer(0, 2 ** 32 - 1);
  const segmentsMax = random.integer(1, 60);
  const [first = new Uint8Array(), ...others] = headers;
  writePage(writer, { serial, flags: 2, segments: segmentsOf(first) });
  let segments: Uint8Array[] = [];
  let isContinued = false;
  for (const bytes of [...others, ...packets.map((packet) => packet.bytes)]) {
    for (const segment of segmentsOf(bytes)) {
      segments.push(segment);
      if (segments.length < segmentsMax) continue;
      writePage(writer, { serial, flags: isContinued ? 1 : 0, segments });
      isContinued = segment.length === 255;
      segments = [];
    }
  }
  writePage(writer, { serial, flags: isContinued ? 5 : 4, segments });
  return fileOf('ogg', writer, packets);
}

function segmentsOf(bytes: Uint8Array): Uint8Array[] {
  const count = Math.floor(bytes.length / 255) + 1;
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * 255, index * 255 + 255));
}

function writePage(
  writer: ByteWriter,
  { serial, flags, segments }: { serial: number; flags: number; segments: readonly Uint8Array[] },
): void {
  writer.text('OggS').raw([0, flags]).little(12_345, 8).claim(8).big(serial, 4).little(0, 8).big(segments.length, 1);
  for (const segment of segments) writer.big(segment.length, 1);
  for (const segment of segments) writer.raw(segment);
}

function fileOf(format: string, writer: ByteWriter, packets: readonly Packet[]): AudioFile {
  const packetSeconds = Math.max(...packets.map(({ seconds }) => seconds));
  return { format, bytes: writer.toBytes(), seconds: secondsOf(packets), packetSeconds, claims: writer.claims };
}
