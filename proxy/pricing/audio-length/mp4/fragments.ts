/** The fragments of an MP4 file (ISO/IEC 14496-12, 8.8), which list samples like the tables of a track do. */

import { uint32, uint64 } from '../read-bytes.ts';
import type { Mp4Box } from './boxes.ts';
import type { SampleEntries } from './sample-entries.ts';
import type { Work } from './sample-tables.ts';

/** What a `tfhd` has of its fields. */
const trackFlags = { baseOffset: 0x1, entry: 0x2, duration: 0x8, size: 0x10, fromFragment: 0x2_0000 } as const;
/** What a `trun` has, once. */
const runFlags = { offset: 0x1, firstFlags: 0x4 } as const;
/** What a `trun` has for each sample. */
const sampleFlags = { duration: 0x100, size: 0x200, flags: 0x400, shift: 0x800 } as const;

interface FragmentedTrack {
  readonly id: number;
  readonly entries: SampleEntries | undefined;
}

export class FragmentReader {
  readonly #bytes: Uint8Array;
  readonly #tracks: readonly FragmentedTrack[];
  readonly #work: Work;
  readonly #seconds = new Map<number, number>();
  /** The size of samples that do not have their own, by track. */
  readonly #sizes = new Map<number, number>();
  #fragment = 0;
  #track = 0;
  #size = 0;
  #base = 0;
  /** Where the samples of the last run ended. */
  #end = 0;

  constructor(bytes: Uint8Array, { tracks, work }: { tracks: readonly FragmentedTrack[]; work: Work }) {
    this.#bytes = bytes;
    this.#tracks = tracks;
    this.#work = work;
  }

  secondsOf(id: number): number {
    return this.#seconds.get(id) ?? 0;
  }

  read({ name, start, from }: Mp4Box): void {
    if (name === 'trex') this.#readDefaults(from);
    else if (name === 'moof') {
      this.#fragment = start;
      this.#end = start;
    } else if (name === 'tfhd') this.#readTrack(from);
    else if (name === 'trun') this.#readRun(from);
  }

  #readDefaults(from: number): void {
    const id = uint32(this.#bytes, from + 4);
    if (this.#tracks.some((track) => track.id === id)) this.#sizes.set(id, uint32(this.#bytes, from + 16));
  }

  #readTrack(from: number): void {
    const flags = uint32(this.#bytes, from) & 0xff_ffff;
    this.#track = uint32(this.#bytes, from + 4);
    let at = from + 8;
    const hasBase = (flags & trackFlags.baseOffset) !== 0;
    const base = uint64(this.#bytes, at);
    if (hasBase) at += 8;
    for (const flag of [trackFlags.entry, trackFlags.duration]) if (flags & flag) at += 4;
    this.#size = flags & trackFlags.size ? uint32(this.#bytes, at) : (this.#sizes.get(this.#track) ?? 0);
    this.#base = hasBase ? base : flags & trackFlags.fromFragment ? this.#fragment : this.#end;
    this.#end = this.#base;
  }

  #readRun(from: number): void {
    const flags = uint32(this.#bytes, from) & 0xff_ffff;
    const count = uint32(this.#bytes, from + 4);
    let at = from + 8;
    if (flags & runFlags.offset) {
      this.#end = this.#base + (uint32(this.#bytes, at) | 0);
      at += 4;
    }
    if (flags & runFlags.firstFlags) at += 4;
    const before = flags & sampleFlags.duration ? 4 : 0;
    const hasSizes = (flags & sampleFlags.size) !== 0;
    const rest = (hasSizes ? 4 : 0) + (flags & sampleFlags.flags ? 4 : 0) + (flags & sampleFlags.shift ? 4 : 0);
    const sizeAt = hasSizes ? at + before : undefined;
    for (const { id, entries } of this.#tracks) {
      if (id !== this.#track || entries === undefined) continue;
      const seconds = this.#runSeconds({ entries, count, sizeAt, step: before + rest });
      this.#seconds.set(id, this.secondsOf(id) + seconds);
    }
  }

  #runSeconds(run: { entries: SampleEntries; count: number; sizeAt: number | undefined; step: number }): number {
    const { codec, pcm } = run.entries;
    let seconds = 0;
    const start = this.#end;
    for (let sample = 0; sample < run.count; sample += 1) {
      const size = run.sizeAt === undefined ? this.#size : uint32(this.#bytes, run.sizeAt + sample * run.step);
      if (!this.#work.spend(Math.min(size, this.#bytes.byteLength))) break;
      const from = this.#end;
      if (pcm !== undefined) seconds += Math.max(pcm.secondsPerSample, size / pcm.bytesPerSecond);
      else seconds += codec.secondsPerPacket ?? codec.secondsOf({ bytes: this.#bytes, from, to: from + size });
      this.#end = from + size;
    }
    if (this.#work.isExceeded) this.#end = start;
    return seconds;
  }
}
