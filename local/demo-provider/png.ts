/** Pictures of a few colours as PNG files (https://www.w3.org/TR/png-3/). */
import { crc32, deflateSync } from 'node:zlib';

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** For each pixel, row by row, the place of its colour in the palette. */
  readonly pixels: Uint8Array;
  /** Red, green and blue of at most 256 colours. */
  readonly palette: readonly (readonly number[])[];
}

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const bitDepth = 8;
const indexedColour = 3;

export function encodePng({ width, height, pixels, palette }: Picture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bitDepth, indexedColour], 8);
  return Buffer.concat([
    Buffer.from(signature),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(withFilterTypes(pixels, { width, height }))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Every row begins with the number of its filter; 0 is none. */
function withFilterTypes(pixels: Uint8Array, { width, height }: Pick<Picture, 'width' | 'height'>): Buffer {
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  return rows;
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(content.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(content, 4);
  framed.writeUInt32BE(crc32(content), content.length + 4);
  return framed;
}
