/** MP4 files from a seed, with the tables of a track or with fragments. */
import type { SeededRandom } from '../../../../harness/seeded-random.ts';
import { type AudioFile, ByteWriter } from './byte-writer.ts';
import { flacFrames, flacStreamInfo, mpegFrames, opusPackets, type Packet, secondsOf, times } from './packets.ts';

interface Track {
  readonly entry: ByteWriter;
  readonly packets: readonly Packet[];
}

const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000];

export function mp4File(random: SeededRandom): AudioFile {
  const track = random.pick([aacTrack, alacTrack, opusTrack, mpegTrack, flacTrack])(random);
  return random.chance(0.5) ? tableFile(random, track) : fragmentFile(random, track);
}

export function aacFile(random: SeededRandom, { edits = 1 } = {}): AudioFile {
  return tableFile(random, aacTrack(random), edits);
}

function aacTrack(random: SeededRandom): Track {
  const rateIndex = random.integer(0, aacRates.length - 1);
  const seconds = 1_024 / (aacRates[rateIndex] ?? 0);
  const type = random.pick([2, 5, 29]);
  const config = new ByteWriter().big((type << 11) | (rateIndex << 7) | 8, 2).big(random.integer(0, 255), 1);
  return { entry: entryOf('mp4a', esds(0x40, config)), packets: randomPackets(random, seconds) };
}

function mpegTrack(random: SeededRandom): Track {
  return { entry: entryOf('mp4a', esds(0x6b, new ByteWriter())), packets: mpegFrames(random) };
}

function alacTrack(random: SeededRandom): Track {
  const rate = random.pick([44_100, 48_000, 96_000]);
  const cookie = box('alac', new ByteWriter().big(0, 4).big(4_096, 4).big(0, 16).big(rate, 4));
  return { entry: entryOf('alac', cookie, 0), packets: randomPackets(random, 4_096 / rate) };
}

function opusTrack(random: SeededRandom): Track {
  return { entry: entryOf('Opus', box('dOps', new ByteWriter().big(0, 11))), packets: opusPackets(random) };
}

function flacTrack(random: SeededRandom): Track {
  const rate = random.pick([8_000, 44_100, 48_000]);
  const info = box('dfLa', new ByteWriter().big(0, 4).big(0x80, 1).big(34, 3).append(flacStreamInfo(rate)));
  return { entry: entryOf('fLaC', info), packets: flacFrames(random, rate) };
}

function randomPackets(random: SeededRandom, seconds: number): Packet[] {
  return times(random.integer(1, 60), () => {
    return { bytes: new ByteWriter().random(random, random.integer(1, 300)).toBytes(), seconds };
  });
}

function entryOf(name: string, child: ByteWriter, rate = 48_000): ByteWriter {
  const fields = new ByteWriter().big(0, 6).big(1, 2).big(0, 8).big(2, 2).big(16, 2).big(0, 4).big(rate, 2).big(0, 2);
  return box(name, fields.append(child));
}

function esds(type: number, config: ByteWriter): ByteWriter {
  const specific = new ByteWriter().big(5, 1).big(config.length, 1).append(config);
  const decoder = new ByteWriter()
    .big(4, 1)
    .big(13 + specific.length, 1)
    .big(type, 1)
    .big(0, 12)
    .append(specific);
  const stream = new ByteWriter()
    .big(3, 1)
    .big(3 + decoder.length, 1)
    .big(0, 3)
    .append(decoder);
  return box('esds', new ByteWriter().big(0, 4).append(stream));
}

function box(name: string, content: ByteWriter): ByteWriter {
  return new ByteWriter()
    .big(content.length + 8, 4)
    .text(name)
    .append(content);
}

function boxes(name: string, parts: readonly ByteWriter[]): ByteWriter {
  const content = new ByteWriter();
  for (const part of parts) content.append(part);
  return box(name, content);
}

interface Tables {
  readonly sizes: ByteWriter;
  readonly chunks: ByteWriter;
  readonly offsets: ByteWriter;
}

function movieOf(entry: ByteWriter, { sizes, chunks, offsets }: Tables, edits = 1): ByteWriter {
  const length = new ByteWriter().big(0, 12).big(1_000, 4).claim(4).big(5_000, 4).claim(4);
  const description = box('stsd', new ByteWriter().big(0, 4).big(1, 4).append(entry));
  const times = box('stts', new ByteWriter().big(0, 4).big(1, 4).big(9, 4).claim(4).big(1_024, 4).claim(4));
  const table = boxes('stbl', [description, times, sizes, chunks, offsets]);
  const handler = box('hdlr', new ByteWriter().big(0, 8).text('soun').big(0, 13));
  const media = boxes('mdia', [
    box('mdhd', new ByteWriter().append(length).big(0, 4)),
    handler,
    boxes('minf', [table]),
  ]);
  const header = box('tkhd', new ByteWriter().big(0, 12).big(1, 4).big(0, 4).big(5_000, 4).claim(4).big(0, 60));
  const list = new ByteWriter().big(0, 4).big(edits, 4);
  for (let left = edits; left > 0; left -= 1) list.big(5_000, 4).claim(4).big(0, 4).big(0x1_0000, 4);
  const defaults = box('trex', new ByteWriter().big(0, 4).big(1, 4).big(1, 4).big(0, 12));
  const track = boxes('trak', [header, boxes('edts', [box('elst', list)]), media]);
  return boxes('moov', [box('mvhd', new ByteWriter().append(length).big(0, 80)), track, boxes('mvex', [defaults])]);
}

function tableFile(random: SeededRandom, { entry, packets }: Track, edits = 1): AudioFile {
  const perChunk = random.integer(1, 8);
  const type = box('ftyp', new ByteWriter().text('M4A ').big(0, 4));
  const at = type.length + 8;
  const sizes = new ByteWriter().big(0, 8).big(packets.length, 4);
  const offsets = new ByteWriter().big(0, 4).big(Math.ceil(packets.length / perChunk), 4);
  const media = new ByteWriter();
  for (const [index, { bytes }] of packets.entries()) {
    // There may be something else between chunks.
    if (index % perChunk === 0) media.big(0, random.integer(0, 3));
    if (index % perChunk === 0) offsets.big(at + media.length, 4);
    sizes.big(bytes.length, 4);
    media.raw(bytes);
  }
  const last = packets.length % perChunk;
  const whole = Math.floor(packets.length / perChunk);
  const runs = [...(whole > 0 ? [[1, perChunk]] : []), ...(last > 0 ? [[whole + 1, last]] : [])];
  const chunks = new ByteWriter().big(0, 4).big(runs.length, 4);
  for (const [first = 0, samples = 0] of runs) chunks.big(first, 4).big(samples, 4).big(1, 4);
  const tables = { sizes: box('stsz', sizes), chunks: box('stsc', chunks), offsets: box('stco', offsets) };
  const writer = type.append(box('mdat', media)).append(movieOf(entry, tables, edits));
  return fileOf(writer, packets);
}

function fragmentFile(random: SeededRandom, { entry, packets }: Track): AudioFile {
  const tables = {
    sizes: box('stsz', new ByteWriter().big(0, 12)),
    chunks: box('stsc', new ByteWriter().big(0, 8)),
    offsets: box('stco', new ByteWriter().big(0, 8)),
  };
  const writer = box('ftyp', new ByteWriter().text('iso5').big(0, 4)).append(movieOf(entry, tables));
  for (let first = 0; first < packets.length; ) {
    const count = random.integer(1, 10);
    const part = packets.slice(first, first + count);
    first += count;
    const withDurations = random.chance(0.5);
    const run = new ByteWriter().big(withDurations ? 0x301 : 0x201, 4).big(part.length, 4);
    const rowBytes = withDurations ? 8 : 4;
    run.big(8 + 8 + 16 + 16 + 12 + part.length * rowBytes + 8 + 8, 4);
    for (const { bytes } of part) {
      if (withDurations) run.big(960, 4).claim(4);
      run.big(bytes.length, 4);
    }
    const track = box('tfhd', new ByteWriter().big(0x2_0000, 4).big(1, 4));
    writer.append(boxes('moof', [boxes('traf', [track, box('tfdt', new ByteWriter().big(0, 8)), box('trun', run)])]));
    const media = new ByteWriter();
    for (const { bytes } of part) media.raw(bytes);
    writer.append(box('mdat', media));
  }
  return fileOf(writer, packets);
}

function fileOf(writer: ByteWriter, packets: readonly Packet[]): AudioFile {
  const packetSeconds = Math.max(...packets.map(({ seconds }) => seconds));
  return { format: 'mp4', bytes: writer.toBytes(), seconds: secondsOf(packets), packetSeconds, claims: writer.claims };
}
