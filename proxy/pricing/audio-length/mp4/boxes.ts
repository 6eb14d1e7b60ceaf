/** Boxes of MP4 and QuickTime (ISO/IEC 14496-12, 4.2): a size, a name, and the content, which may be boxes again. */
import { type ByteRange, hasText, uint32, uint64 } from '../read-bytes.ts';

const entered = ['moov', 'trak', 'edts', 'mdia', 'minf', 'dinf', 'stbl', 'mvex', 'moof', 'traf', 'udta', 'tref'];
/** FFmpeg takes one of these as a `moov` if it begins as one. */
const disguises = ['free', 'hoov'];
const depthMax = 16;

export interface Mp4Box extends ByteRange {
  readonly name: string;
  /** Where its header begins. */
  readonly start: number;
}

/** In their order, those in others after what they are in. */
export function visitBoxes({ bytes, from, to }: ByteRange, visit: (box: Mp4Box) => void, depth = 0): void {
  let at = from;
  while (at + 8 <= to) {
    let header = 8;
    let size = uint32(bytes, at);
    if (size === 1) {
      header = 16;
      size = uint64(bytes, at + 8);
    }
    if (size === 0) size = to - at;
    if (size < header) return;
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const box = { bytes, name, start: at, from: at + header, to: Math.min(to, at + size) };
    visit(box);
    const isMovie = disguises.includes(name) && ['mvhd', 'cmov'].some((inner) => hasText(bytes, box.from + 4, inner));
    if ((entered.includes(name) || isMovie) && depth < depthMax) visitBoxes(box, visit, depth + 1);
    at += size;
  }
}
