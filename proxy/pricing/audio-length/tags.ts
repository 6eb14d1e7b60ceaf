/** ID3v2 tags, which are in front of files of any format: titles, and pictures that look like frames of sound. */
import { hasText } from './read-bytes.ts';

const headerBytes = 10;
const footerFlag = 0x10;

/** Where the file begins. Decoders skip only tags whose header is valid, and trust the size in it. */
export function afterTags(bytes: Uint8Array): number {
  let at = 0;
  while (isTag(bytes, at)) {
    let size = 0;
    for (let index = 6; index < headerBytes; index += 1) size = size * 0x80 + (bytes[at + index] ?? 0);
    at += headerBytes + size + ((bytes[at + 5] ?? 0) & footerFlag ? headerBytes : 0);
  }
  return at;
}

function isTag(bytes: Uint8Array, at: number): boolean {
  if (!hasText(bytes, at, 'ID3') || bytes[at + 3] === 0xff || bytes[at + 4] === 0xff) return false;
  return bytes.subarray(at + 6, at + headerBytes).every((byte) => byte < 0x80);
}
