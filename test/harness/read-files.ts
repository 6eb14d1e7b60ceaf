/** Reads downloads: CSV as in RFC 4180, as objects by the names in its first line, and zip archives. */
import { crc32, inflateRawSync } from 'node:zlib';

const cell = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n)/g;

export function parseCsv(text: string): Record<string, string>[] {
  const lines: string[][] = [[]];
  for (const [, quoted, plain = '', separator] of text.matchAll(cell)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (separator === '\r\n') lines.push([]);
  }
  const [names = [], ...rows] = lines.slice(0, -1);
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ''])));
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const deflated = 8;

/**
 * Opens a zip archive by its directory, as file managers do, and verifies every checksum. Written from the format's
 * description (APPNOTE.TXT), not with the library that creates the archives. Name → text. Throws on anything except a
 * whole archive.
 */
export function readZip(bytes: Uint8Array): Map<string, string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || buffer.readUInt32LE(end) !== endSignature) throw new Error('no directory: the archive is not whole');
  const count = buffer.readUInt16LE(end + 10);
  let at = buffer.readUInt32LE(end + 16);
  const files = new Map<string, string>();
  for (let entry = 0; entry < count; entry += 1) {
    if (buffer.readUInt32LE(at) !== entrySignature) throw new Error(`no entry at ${at}`);
    const nameLength = buffer.readUInt16LE(at + 28);
    const name = buffer.toString('utf8', at + 46, at + 46 + nameLength);
    files.set(name, readEntry(buffer, at, name));
    at += 46 + nameLength + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32);
  }
  return files;
}

function readEntry(buffer: Buffer, entry: number, name: string): string {
  const local = buffer.readUInt32LE(entry + 42);
  if (buffer.readUInt32LE(local) !== localSignature) throw new Error(`${name}: no file at ${local}`);
  const start = local + 30 + buffer.readUInt16LE(local + 26) + buffer.readUInt16LE(local + 28);
  const packed = buffer.subarray(start, start + buffer.readUInt32LE(entry + 20));
  const content = buffer.readUInt16LE(entry + 10) === deflated ? inflateRawSync(packed) : packed;
  if (content.length !== buffer.readUInt32LE(entry + 24)) throw new Error(`${name}: another length`);
  if (crc32(content) !== buffer.readUInt32LE(entry + 16)) throw new Error(`${name}: another checksum`);
  return content.toString('utf8');
}
