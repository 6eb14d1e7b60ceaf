/** Boxes of MP4 and QuickTime (ISO/IEC 14496-12, 4.2): a size, a name, and the content, which may be boxes again. */
import { type ByteRange, hasText, uint32, uint64 } from '../read-bytes.ts';

const entered = new Set([
  'moov',
  'trak',
  'edts',
  'mdia',
  'minf',
  'dinf',
  'stbl',
  'mvex',
  'moof',
  'traf',
  'udta',
  'tref',
]);
/** FFmpeg takes one of these as a `moov` if it begins as one. */
const disguises = ['free', 'hoov'];
const depthMax = 16;
/** A fragment has about eight, so this is enough for a second each in seven hours. */
const boxesMax = 200_000;

export interface Mp4Box extends ByteRange {
  readonly name: string;
  /** Where its header begins. */
  readonly start: number;
}

/** In their order, those in others after what they are in. Returns false if there are more than in any honest file. */
export function visitBoxes(range: ByteRange, visit: (box: Mp4Box) => void): boolean {
  return visitInner(range, visit, { depth: 0, boxes: 0 }) <= boxesMax;
}

/** Returns how many boxes there are so far. */
function visitInner(
  { bytes, from, to }: ByteRange,
  visit: (box: Mp4Box) => void,
  { depth, boxes }: { depth: number; boxes: number },
): number {
  let seen = boxes;
  let at = from;
  while (at + 8 <= to && seen <= boxesMax) {
    let header = 8;
    let size = uint32(bytes, at);
    if (size === 1) {
      header = 16;
      size = uint64(bytes, at + 8);
    }
    if (size === 0) size = to - at;
    if (size < header) break;
    const name = nameAt(bytes, at + 4);
    const box = { bytes, name, start: at, from: at + header, to: Math.min(to, at + size) };
    seen += 1;
    visit(box);
    const isMovie = disguises.includes(name) && ['mvhd', 'cmov'].some((inner) => hasText(bytes, box.from + 4, inner));
    if ((entered.has(name) || isMovie) && depth < depthMax)
      seen = visitInner(box, visit, { depth: depth + 1, boxes: seen });
    at += size;
  }
  return seen;
}

export function nameAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0, bytes[at + 3] ?? 0);
}
