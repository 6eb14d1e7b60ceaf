/**
 * WebM and Matroska (https://www.rfc-editor.org/rfc/rfc9559): blocks in clusters, each with one or several packets. The
 * elements that contain others are entered wherever they are, so that it does not matter whether their sizes are known;
 * a browser's recorder does not write them. Durations and timestamps are not read.
 *
 * Where an element cannot be right, such as one that exceeds its parent, decoders go on at a cluster after its start or
 * even before it. So does this, and it adds the clusters that other elements hide.
 */
import { aacCodec } from './codecs/aac.ts';
import { type Codec, fixedCodec, longestCodec, pcmCodec, unknownCodec } from './codecs/codec.ts';
import { flacCodec } from './codecs/flac.ts';
import { mpegCodec } from './codecs/mpeg.ts';
import { opusCodec } from './codecs/opus.ts';
import { longestBlockSeconds, vorbisCodec } from './codecs/vorbis.ts';
import { type ByteRange, hasText, piecesMax, searchable, uint32 } from './read-bytes.ts';

const ids = {
  header: 0x1a45_dfa3,
  segment: 0x1853_8067,
  tracks: 0x1654_ae6b,
  track: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codec: 0x86,
  codecPrivate: 0x63a2,
  encodings: 0x6d80,
  audio: 0xe1,
  samplingFrequency: 0xb5,
  channels: 0x9f,
  bitDepth: 0x6264,
  cluster: 0x1f43_b675,
  blockGroup: 0xa0,
  block: 0xa1,
  simpleBlock: 0xa3,
} as const;
const entered: readonly number[] = [ids.segment, ids.tracks, ids.cluster, ids.blockGroup];
const trackFields: readonly number[] = [
  ...[ids.trackNumber, ids.trackType, ids.codec, ids.codecPrivate, ids.encodings],
  ...[ids.samplingFrequency, ids.channels, ids.bitDepth],
];
const clusterId = Uint8Array.of(0x1f, 0x43, 0xb6, 0x75);
const soundType = 2;
const tracksMax = 1_000;
const damagesMax = 1_000;
/** By chance, a file of 25 MB has none. Each is read in addition. */
const hiddenMax = 20;

interface Element {
  readonly id: number;
  readonly from: number;
  /** Undefined if its size is unknown. */
  readonly to: number | undefined;
}

export function isWebm(bytes: Uint8Array, at: number): boolean {
  return uint32(bytes, at) === ids.header;
}

/** Undefined if there is no track with sound, or none that can be measured. */
export function webmSeconds(bytes: Uint8Array, start: number): number | undefined {
  const codecs = new Map<number, Codec[]>();
  let tracks = 0;
  let isMeasurable = true;
  // For tracks, hidden clusters and blocks.
  const budget = { pieces: 3 * piecesMax };
  const isWhole = walk(bytes, start, {
    budget,
    visit: (element) => {
      if (element.id !== ids.track || element.to === undefined) return;
      tracks += 1;
      const track = readTrack({ bytes, from: element.from, to: element.to });
      if (track === undefined || tracks > tracksMax) return;
      if (track.codec === undefined) isMeasurable = false;
      else codecs.set(track.number, [...(codecs.get(track.number) ?? []), track.codec]);
    },
  });
  if (!isWhole || !isMeasurable || codecs.size === 0 || tracks > tracksMax) return undefined;
  const longest = new Map([...codecs].map(([number, list]) => [number, longestCodec(list)]));
  const seconds = new Map<number, number>();
  const readBlock = ({ id, from, to }: Element) => {
    if ((id !== ids.block && id !== ids.simpleBlock) || to === undefined) return;
    const number = readSize(bytes, from);
    const codec = longest.get(number.value);
    if (codec === undefined) return;
    const added = blockSeconds({ bytes, from: from + number.bytes, to }, codec);
    seconds.set(number.value, (seconds.get(number.value) ?? 0) + added);
  };
  const hidden = hiddenClusters(bytes, start, budget);
  if (hidden.length > hiddenMax) return undefined;
  for (const from of [start, ...hidden]) walk(bytes, from, { budget, visit: readBlock });
  return budget.pieces < 0 ? undefined : Math.max(0, ...seconds.values());
}

/** How many elements may still be looked at. */
interface Budget {
  pieces: number;
}

interface Visitor {
  readonly budget: Budget;
  readonly visit?: (element: Element) => void;
  /** For the start of each element that contains others. */
  readonly enter?: (at: number) => void;
}

/** Where clusters begin within other elements. A decoder that finds damage may go back to one of them. */
function hiddenClusters(bytes: Uint8Array, start: number, budget: Budget): number[] {
  const file = searchable(bytes);
  const hidden: number[] = [];
  let next = file.indexOf(clusterId, start);
  const passUntil = (at: number) => {
    while (next >= 0 && next < at && hidden.length <= hiddenMax) {
      hidden.push(next);
      next = file.indexOf(clusterId, next + 1);
    }
    if (next === at) next = file.indexOf(clusterId, next + 1);
  };
  walk(bytes, start, { budget, enter: passUntil });
  passUntil(bytes.byteLength);
  return hidden;
}

/** Returns false for a file with too many elements, or that is damaged in more places than one that can be played. */
function walk(bytes: Uint8Array, start: number, { budget, visit, enter }: Visitor): boolean {
  const file = searchable(bytes);
  const ends: number[] = [];
  let damages = 0;
  let at = start;
  while (at < bytes.byteLength) {
    budget.pieces -= 1;
    if (budget.pieces < 0) return false;
    while ((ends.at(-1) ?? Number.POSITIVE_INFINITY) <= at) ends.pop();
    const element = readElement(bytes, at);
    const end = element?.to ?? Number.POSITIVE_INFINITY;
    const isEntered = element !== undefined && entered.includes(element.id);
    const isFit = element?.to === undefined ? isEntered : end <= (ends.at(-1) ?? Number.POSITIVE_INFINITY);
    if (element === undefined || !isFit) {
      damages += 1;
      at = file.indexOf(clusterId, at + 1);
      if (at < 0 || damages > damagesMax) return damages <= damagesMax;
      ends.length = 0;
      continue;
    }
    if (!isEntered) visit?.({ id: element.id, from: element.from, to: Math.min(end, bytes.byteLength) });
    else enter?.(at);
    if (isEntered && element.to !== undefined) ends.push(element.to);
    at = isEntered ? element.from : end;
  }
  return true;
}

/** Undefined if there is no element. */
function readElement(bytes: Uint8Array, at: number): Element | undefined {
  const idBytes = Math.clz32((bytes[at] ?? 0) << 24) + 1;
  if (idBytes > 4) return undefined;
  let id = 0;
  for (let index = 0; index < idBytes; index += 1) id = id * 0x100 + (bytes[at + index] ?? 0);
  const size = readSize(bytes, at + idBytes);
  if (size.bytes > 8) return undefined;
  const from = at + idBytes + size.bytes;
  return { id, from, to: size.isUnknown ? undefined : from + size.value };
}

/** A number whose first byte says how many it has. All bits of the value are set where it is unknown. */
function readSize(bytes: Uint8Array, at: number): { value: number; bytes: number; isUnknown: boolean } {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first << 24) + 1;
  if (length > 8) return { value: 0, bytes: 9, isUnknown: false };
  let value = first & (0xff >> length);
  let isUnknown = value === 0xff >> length;
  for (let index = 1; index < length; index += 1) {
    const byte = bytes[at + index] ?? 0;
    value = value * 0x100 + byte;
    isUnknown &&= byte === 0xff;
  }
  return { value, bytes: length, isUnknown };
}

/** Undefined if it has no sound. Its codec is undefined if the packets are stored in a form that hides them. */
function readTrack(range: ByteRange): { number: number; codec: Codec | undefined } | undefined {
  const { bytes } = range;
  const fields = new Map<number, ByteRange>();
  for (let at = range.from; at < range.to; ) {
    const element = readElement(bytes, at);
    if (element?.to === undefined || element.to > range.to) break;
    if (trackFields.includes(element.id)) fields.set(element.id, { bytes, from: element.from, to: element.to });
    at = element.id === ids.audio ? element.from : element.to;
  }
  if (wholeOf(fields.get(ids.trackType)) !== soundType) return undefined;
  const codec = codecOf(fields);
  const isHidden = fields.has(ids.encodings) && codec.secondsPerPacket === undefined;
  return { number: wholeOf(fields.get(ids.trackNumber)), codec: isHidden ? undefined : codec };
}

function codecOf(fields: ReadonlyMap<number, ByteRange>): Codec {
  const name = fields.get(ids.codec);
  const setup = fields.get(ids.codecPrivate);
  const is = (text: string) => name !== undefined && hasText(name.bytes, name.from, text);
  if (is('A_OPUS')) return opusCodec;
  if (is('A_MPEG/L')) return mpegCodec;
  if (is('A_PCM')) return pcmOf(fields);
  if (is('A_VORBIS') && setup !== undefined) return vorbisOf(setup);
  if (is('A_AAC') && setup !== undefined) return aacCodec(setup);
  if (is('A_FLAC') && setup !== undefined) return flacCodec({ bytes: setup.bytes, streamInfo: setup.from + 8 });
  return unknownCodec;
}

function pcmOf(fields: ReadonlyMap<number, ByteRange>): Codec {
  const rate = Math.max(1, frequencyOf(fields.get(ids.samplingFrequency)));
  const sampleBytes = Math.ceil((wholeOf(fields.get(ids.bitDepth)) || 8) / 8);
  const channels = wholeOf(fields.get(ids.channels)) || 1;
  return pcmCodec({ bytesPerSecond: rate * channels * sampleBytes });
}

/** The three headers, of which the sizes of the first two are in front. */
function vorbisOf({ bytes, from, to }: ByteRange): Codec {
  const sizes: number[] = [];
  let at = from + 1;
  for (let header = 0; header < 2; header += 1) {
    const lacing = readLacing(bytes, at, to);
    sizes.push(lacing.size);
    at = lacing.end;
  }
  const [first = 0, second = 0] = sizes;
  const identification = bytes.subarray(at, at + first);
  if (identification.byteLength < 30) return unknownCodec;
  const setup = bytes.subarray(at + first + second, to);
  const codec = vorbisCodec({ identification, setup });
  return bytes[from] === 2 ? codec : fixedCodec(longestBlockSeconds(identification));
}

function wholeOf(range: ByteRange | undefined): number {
  let value = 0;
  for (let at = range?.from ?? 0; at < Math.min(range?.to ?? 0, (range?.from ?? 0) + 8); at += 1) {
    value = value * 0x100 + (range?.bytes[at] ?? 0);
  }
  return value;
}

function frequencyOf(range: ByteRange | undefined): number {
  if (range === undefined || range.to > range.bytes.byteLength) return 0;
  const view = new DataView(range.bytes.buffer, range.bytes.byteOffset + range.from, range.to - range.from);
  const frequency = view.byteLength === 8 ? view.getFloat64(0) : view.byteLength === 4 ? view.getFloat32(0) : 0;
  return Number.isFinite(frequency) ? frequency : 0;
}

/** Of a block after its track's number: two bytes of time, the flags, and the packets. */
function blockSeconds({ bytes, from, to }: ByteRange, codec: Codec): number {
  const lacing = ((bytes[from + 2] ?? 0) >> 1) & 3;
  const start = from + 3;
  if (lacing === 0) return codec.secondsPerPacket ?? codec.secondsOf({ bytes, from: start, to });
  const packets = (bytes[start] ?? 0) + 1;
  if (codec.secondsPerPacket !== undefined) return packets * codec.secondsPerPacket;
  const sizes = new Float64Array(packets);
  const content = readLacedSizes({ bytes, from: start + 1, to }, { lacing, sizes });
  let at = content;
  let seconds = 0;
  for (const [index, size] of sizes.entries()) {
    const end = index === packets - 1 ? to : at + Math.max(0, size);
    seconds += codec.secondsOf({ bytes, from: at, to: Math.min(end, to) });
    at = end;
  }
  return seconds;
}

/** Returns where the packets begin. The last one has the rest, so its size is not written. */
function readLacedSizes(
  { bytes, from, to }: ByteRange,
  { lacing, sizes }: { lacing: number; sizes: Float64Array },
): number {
  const xiph = 1;
  const fixed = 2;
  let at = from;
  if (lacing === fixed) sizes.fill(Math.floor(Math.max(0, to - from) / sizes.length));
  for (let index = 0; index < sizes.length - 1 && lacing !== fixed; index += 1) {
    if (lacing === xiph) {
      const { size, end } = readLacing(bytes, at, to);
      sizes[index] = size;
      at = end;
    } else {
      const size = readSize(bytes, at);
      // The first size is a number, the others are differences to the one before.
      const middle = 2 ** (7 * size.bytes - 1) - 1;
      sizes[index] = index === 0 ? size.value : (sizes[index - 1] ?? 0) + size.value - middle;
      at += size.bytes;
    }
  }
  return at;
}

/** A size as the sum of bytes, of which the last is not 255. */
function readLacing(bytes: Uint8Array, from: number, to: number): { size: number; end: number } {
  let size = 0;
  for (let at = from; at < to; at += 1) {
    size += bytes[at] ?? 0;
    if (bytes[at] !== 255) return { size, end: at + 1 };
  }
  return { size, end: to };
}
