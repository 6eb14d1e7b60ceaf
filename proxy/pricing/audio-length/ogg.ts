/**
 * Ogg (https://www.rfc-editor.org/rfc/rfc3533): pages, each of which lists the sizes of its packets. The position that a
 * page claims to be at is not read. Streams in a file follow each other nearly always, so the lengths of all are added.
 *
 * A page counts wherever it begins, also within another page: a decoder that finds a wrong checksum searches there.
 */
import { type Codec, fixedCodec, unknownCodec } from './codecs/codec.ts';
import { flacCodec } from './codecs/flac.ts';
import { opusCodec } from './codecs/opus.ts';
import { isVorbisHeader, longestBlockSeconds, vorbisCodec } from './codecs/vorbis.ts';
import { hasText, joined, piecesMax, searchable, uint32 } from './read-bytes.ts';

const capture = Uint8Array.from(Buffer.from('OggS'));
const pageHeaderBytes = 27;
const continuedFlag = 1;
const firstFlag = 2;
const segmentBytesMax = 255;
/** Recordings have one stream, and concatenated ones as many as there were. Each takes memory here. */
const streamsMax = 1_000;
/** By chance, a file of 25 MB has none. Each is read in addition to what it is in. */
const innerPagesMax = 100;
/** Those of Vorbis are 4 to 8 KB. */
const setupBytesMax = 1_048_576;
/** As long as the header of a FLAC frame can be, which may be on two pages. */
const seamBytes = 16;
/** What the first packet of streams without sound begins with. */
const soundless = ['\x80theora', '\x01video', '\x01text', 'fishead\0', '\x80kate', 'BBCD\0', 'OVP80', 'CMML'];

interface Stream {
  /** Undefined if it has no sound. */
  codec: Codec | undefined;
  packets: number;
  /** Whether the last page ended within a packet. */
  isOpen: boolean;
  readonly vorbis: VorbisHeaders | undefined;
  /** FLAC: the last bytes of the page before. */
  seam: Uint8Array | undefined;
}

interface VorbisHeaders {
  readonly identification: Uint8Array;
  /** The parts of the setup header so far; undefined while it has not begun. */
  setup: Uint8Array[] | undefined;
  setupBytes: number;
  isComplete: boolean;
  secondsMax: number;
}

interface Page {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly segments: number;
  readonly content: number;
}

export function isOgg(bytes: Uint8Array, at: number): boolean {
  return hasText(bytes, at, 'OggS');
}

/** Undefined if there is no stream with sound, or no sound structure. */
export function oggSeconds(bytes: Uint8Array, start: number): number | undefined {
  const streams = new Map<number, Stream>();
  let seconds = 0;
  let pageEnd = 0;
  let innerPages = 0;
  let pieces = 0;
  let hasSound = false;
  const file = searchable(bytes);
  for (let at = file.indexOf(capture, start); at >= 0; at = file.indexOf(capture, at + 1)) {
    if (at < pageEnd) innerPages += 1;
    const segments = bytes[at + pageHeaderBytes - 1] ?? 0;
    pieces += 1 + segments;
    if (innerPages > innerPagesMax || streams.size > streamsMax || pieces > piecesMax) return undefined;
    const page = { bytes, at, segments, content: at + pageHeaderBytes + segments };
    const stream = streamOf(streams, page);
    hasSound ||= stream.codec !== undefined;
    seconds += pageSeconds(stream, page);
    pageEnd = Math.max(pageEnd, page.content + contentBytes(page));
  }
  return hasSound ? seconds : undefined;
}

function streamOf(streams: Map<number, Stream>, { bytes, at, content }: Page): Stream {
  const serial = uint32(bytes, at + 14);
  const known = streams.get(serial);
  if (known !== undefined && ((bytes[at + 5] ?? 0) & firstFlag) === 0) return known;
  const stream = openStream(bytes, content);
  streams.set(serial, stream);
  return stream;
}

/** A stream is what its first packet says. */
function openStream(bytes: Uint8Array, at: number): Stream {
  const opened = { packets: 0, isOpen: false, vorbis: undefined, seam: undefined };
  if (hasText(bytes, at, 'OpusHead')) return { ...opened, codec: opusCodec };
  if (hasText(bytes, at, '\x7fFLAC')) {
    return { ...opened, codec: flacCodec({ bytes, streamInfo: at + 17 }), seam: new Uint8Array() };
  }
  if (isVorbisHeader({ bytes, from: at }, 1)) {
    const identification = bytes.subarray(at, at + 30);
    const secondsMax = longestBlockSeconds(identification);
    const vorbis = { identification, setup: undefined, setupBytes: 0, isComplete: false, secondsMax };
    return { ...opened, codec: fixedCodec(secondsMax), vorbis };
  }
  const isSoundless = soundless.some((text) => hasText(bytes, at, text));
  return { ...opened, codec: isSoundless ? undefined : unknownCodec };
}

function contentBytes({ bytes, at, segments }: Page): number {
  let size = 0;
  for (let index = 0; index < segments; index += 1) size += bytes[at + pageHeaderBytes + index] ?? 0;
  return size;
}

/** The seconds of the packets that begin on the page. */
function pageSeconds(stream: Stream, page: Page): number {
  const { bytes, at, segments, content } = page;
  let isContinued = stream.isOpen && ((bytes[at + 5] ?? 0) & continuedFlag) !== 0;
  if (stream.seam !== undefined) return flacPageSeconds(stream, page);
  let seconds = 0;
  let from = content;
  let to = content;
  stream.isOpen = false;
  for (let index = 0; index < segments && from < bytes.byteLength; index += 1) {
    const segment = bytes[at + pageHeaderBytes + index] ?? 0;
    to += segment;
    const isEnd = segment < segmentBytesMax;
    if (!isEnd && index < segments - 1) continue;
    if (isContinued) readSetup(stream, { part: bytes.subarray(from, to), isEnd });
    else seconds += packetSeconds(stream, { bytes, from, to, isEnd });
    stream.isOpen = !isEnd;
    isContinued = false;
    from = to;
  }
  return seconds;
}

function packetSeconds(
  stream: Stream,
  { bytes, from, to, isEnd }: { bytes: Uint8Array; from: number; to: number; isEnd: boolean },
): number {
  stream.packets += 1;
  if (stream.packets === 1) return 0;
  if (stream.vorbis !== undefined && ((bytes[from] ?? 0) & 1) === 1) {
    readVorbisHeader(stream, { bytes, from, to, isEnd });
    return 0;
  }
  if (stream.packets === 2 && hasText(bytes, from, 'OpusTags')) return 0;
  return stream.codec?.secondsOf({ bytes, from, to }) ?? 0;
}

/** A decoder takes new headers within a stream, too. Every later packet may be as long as any of them allows. */
function readVorbisHeader(
  stream: Stream,
  { bytes, from, to, isEnd }: { bytes: Uint8Array; from: number; to: number; isEnd: boolean },
): void {
  const { vorbis } = stream;
  if (vorbis === undefined) return;
  const isFirstSetup = isVorbisHeader({ bytes, from }, 5) && vorbis.setup === undefined;
  if (isFirstSetup && !vorbis.isComplete) {
    vorbis.setup = [];
    readSetup(stream, { part: bytes.subarray(from, to), isEnd });
  } else if (!isVorbisHeader({ bytes, from }, 3)) {
    vorbis.secondsMax = Math.max(vorbis.secondsMax, longestBlockSeconds(bytes.subarray(from, from + 30)));
    vorbis.isComplete = true;
    stream.codec = fixedCodec(vorbis.secondsMax);
  }
}

function readSetup(stream: Stream, { part, isEnd }: { part: Uint8Array; isEnd: boolean }): void {
  const { vorbis } = stream;
  if (vorbis?.setup === undefined || vorbis.isComplete) return;
  vorbis.setup.push(part);
  vorbis.setupBytes += part.byteLength;
  if (vorbis.setupBytes > setupBytesMax) vorbis.isComplete = true;
  if (!isEnd || vorbis.isComplete) return;
  vorbis.isComplete = true;
  stream.codec = vorbisCodec({ identification: vorbis.identification, setup: joined(vorbis.setup) });
}

/** A packet of FLAC may have several frames, which begin anywhere in it, even on one page and end on the next. */
function flacPageSeconds(stream: Stream, page: Page): number {
  const { bytes, content } = page;
  const inPage = bytes.subarray(content, content + contentBytes(page));
  const [last, first] = [stream.seam ?? new Uint8Array(), inPage.subarray(0, seamBytes)];
  const seam = joined([last, first]);
  const secondsIn = (part: Uint8Array) => stream.codec?.secondsOf({ bytes: part, from: 0, to: part.byteLength }) ?? 0;
  stream.seam = joined([seam, inPage.subarray(seamBytes).subarray(-seamBytes)]).subarray(-seamBytes);
  return secondsIn(inPage) + Math.max(0, secondsIn(seam) - secondsIn(last) - secondsIn(first));
}
