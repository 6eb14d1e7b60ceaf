/** The sample tables of an MP4 track (ISO/IEC 14496-12, 8.7): how many samples there are, and where. */

import { type ByteRange, uint16, uint32, uint64 } from '../read-bytes.ts';
import type { SampleEntries } from './sample-entries.ts';

type TableName = 'stsd' | 'stsz' | 'stz2' | 'stsc' | 'stco' | 'co64' | 'stts' | 'elst';

export interface SampleTables {
  readonly tables: Partial<Record<TableName, ByteRange>>;
}

/** Tables can list the same bytes again and again. No honest file lists more samples or bytes than it has. */
export class Work {
  #left: number;

  constructor(fileBytes: number) {
    this.#left = 2 * fileBytes + 1_000;
  }

  get isExceeded(): boolean {
    return this.#left < 0;
  }

  /** Whether a sample of this size may be read. */
  spend(sampleBytes: number): boolean {
    this.#left -= 1 + sampleBytes;
    return this.#left >= 0;
  }
}

interface Options {
  readonly track: SampleTables;
  readonly entries: SampleEntries;
  readonly work: Work;
}

/** Undefined if the samples cannot be found. */
export function tableSeconds(bytes: Uint8Array, { track, entries, work }: Options): number | undefined {
  const { codec, pcm } = entries;
  const sizes = readSizes(bytes, track);
  const chunks = readChunks(bytes, track);
  const inChunks = countInChunks(chunks);
  const packets = Math.max(sizes.count, inChunks);
  if (packets === 0) return 0;
  if (pcm !== undefined) {
    const size = sizes.constant === 0 ? sumOfSizes(sizes, bytes) : sizes.constant * packets;
    return Math.max(packets * pcm.secondsPerSample, size / pcm.bytesPerSecond);
  }
  if (codec.secondsPerPacket !== undefined) return packets * codec.secondsPerPacket;
  // FFmpeg reads such a table by bytes that are described elsewhere.
  if (isByTicks(bytes, track)) return undefined;
  return chunkSeconds(bytes, { chunks, sizes, codec, work });
}

interface Sizes {
  readonly count: number;
  /** 0 if each sample has its own. */
  readonly constant: number;
  sizeOf(sample: number): number;
}

function readSizes(bytes: Uint8Array, { tables }: SampleTables): Sizes {
  const { stsz, stz2 } = tables;
  if (stsz !== undefined) {
    const constant = uint32(bytes, stsz.from + 4);
    const sizeOf = (sample: number) => constant || uint32(bytes, stsz.from + 12 + sample * 4);
    return { count: uint32(bytes, stsz.from + 8), constant, sizeOf };
  }
  if (stz2 === undefined) return { count: 0, constant: 0, sizeOf: () => 0 };
  const bits = bytes[stz2.from + 7] ?? 0;
  const sizeOf = (sample: number) => {
    const at = stz2.from + 12 + Math.floor((sample * bits) / 8);
    if (bits === 16) return uint16(bytes, at);
    const byte = bytes[at] ?? 0;
    if (bits === 8) return byte;
    return sample % 2 === 0 ? byte >> 4 : byte & 0xf;
  };
  return { count: uint32(bytes, stz2.from + 8), constant: 0, sizeOf };
}

/** At most as many as there are bytes, since each has at least a part of one. */
function sumOfSizes({ count, sizeOf }: Sizes, bytes: Uint8Array): number {
  let sum = 0;
  for (let sample = 0; sample < Math.min(count, bytes.byteLength); sample += 1) sum += sizeOf(sample);
  return sum;
}

interface Chunks {
  readonly count: number;
  positionOf(chunk: number): number;
  /** How many runs of chunks with as many samples there are. */
  readonly runs: number;
  /** The run's first chunk, from 0. */
  firstOf(run: number): number;
  samplesOf(run: number): number;
}

function readChunks(bytes: Uint8Array, { tables }: SampleTables): Chunks {
  const { stsc, stco, co64 } = tables;
  const offsets = stco ?? co64;
  const width = stco === undefined ? 8 : 4;
  const at = (offsets?.from ?? 0) + 8;
  const end = Math.min(bytes.byteLength, offsets?.to ?? 0);
  const count = Math.min(
    offsets === undefined ? 0 : uint32(bytes, at - 4),
    Math.max(0, Math.floor((end - at) / width)),
  );
  const runsAt = (stsc?.from ?? 0) + 8;
  const runsEnd = Math.min(bytes.byteLength, stsc?.to ?? 0);
  const runs = Math.min(
    stsc === undefined ? 0 : uint32(bytes, runsAt - 4),
    Math.max(0, Math.floor((runsEnd - runsAt) / 12)),
  );
  return {
    count,
    positionOf: (chunk) => (width === 4 ? uint32 : uint64)(bytes, at + chunk * width),
    runs,
    firstOf: (run) => uint32(bytes, runsAt + run * 12) - 1,
    samplesOf: (run) => uint32(bytes, runsAt + run * 12 + 4),
  };
}

function countInChunks(chunks: Chunks): number {
  let samples = 0;
  let largest = 0;
  let isInOrder = true;
  for (let run = 0; run < chunks.runs; run += 1) {
    const [first, next] = [chunks.firstOf(run), run + 1 < chunks.runs ? chunks.firstOf(run + 1) : chunks.count];
    if (next < first || (run === 0 && first !== 0)) isInOrder = false;
    largest = Math.max(largest, chunks.samplesOf(run));
    samples += Math.max(0, Math.min(next, chunks.count) - first) * chunks.samplesOf(run);
  }
  return isInOrder ? samples : chunks.count * largest;
}

/** A single duration of 1. */
function isByTicks(bytes: Uint8Array, { tables }: SampleTables): boolean {
  const { stts } = tables;
  return stts !== undefined && uint32(bytes, stts.from + 4) === 1 && uint32(bytes, stts.from + 12) === 1;
}

function chunkSeconds(
  bytes: Uint8Array,
  { chunks, sizes, codec, work }: { chunks: Chunks; sizes: Sizes; codec: SampleEntries['codec']; work: Work },
): number | undefined {
  let seconds = 0;
  let sample = 0;
  let run = 0;
  for (let chunk = 0; chunk < chunks.count && sample < sizes.count; chunk += 1) {
    while (run + 1 < chunks.runs && chunks.firstOf(run + 1) <= chunk) run += 1;
    let from = chunks.positionOf(chunk);
    for (let left = chunks.samplesOf(run); left > 0 && sample < sizes.count; left -= 1) {
      const size = sizes.sizeOf(sample);
      if (!work.spend(Math.min(size, bytes.byteLength))) return undefined;
      seconds += codec.secondsOf({ bytes, from, to: from + size });
      from += size;
      sample += 1;
    }
  }
  return seconds;
}
