/** FLAC files: frames after the metadata. The metadata is searched for frames too, because its sizes are claims. */
import { flacCodec } from './codecs/flac.ts';
import { hasText } from './read-bytes.ts';

const markBytes = 4;
const blockHeaderBytes = 4;

export function isFlac(bytes: Uint8Array, at: number): boolean {
  return hasText(bytes, at, 'fLaC');
}

export function flacSeconds(bytes: Uint8Array, start: number): number {
  const from = start + markBytes;
  return flacCodec({ bytes, streamInfo: from + blockHeaderBytes }).secondsOf({ bytes, from, to: bytes.byteLength });
}
