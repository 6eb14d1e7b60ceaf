/** A PNG with an alpha channel, which looks like a stamp: a blue ring. */
import { crc32, deflateSync } from 'node:zlib';

const blue = [30, 60, 160];

export function ringPng(size: number): Uint8Array {
  const rows = Array.from({ length: size }, (_row, y) => [
    0,
    ...Array.from({ length: size }, (_column, x) => {
      const distance = Math.hypot(x - size / 2, y - size / 2) / (size / 2);
      const isRing = (distance > 0.9 && distance < 0.97) || (distance > 0.55 && distance < 0.58);
      return [...blue, isRing ? 200 : 0];
    }).flat(),
  ]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits for each of red, green, blue and alpha.
  header.set([8, 6], 8);
  return Buffer.concat([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Uint8Array.from(rows.flat()))),
    chunk('IEND', new Uint8Array()),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
