/**
 * Setup headers of Vorbis with everything that their grammar allows, in any number, and with random values where a decoder of
 * lengths need not look: https://xiph.org/vorbis/doc/Vorbis_I_spec.html#x1-590004.2.2
 */
import type { SeededRandom } from '../../../../harness/seeded-random.ts';
import { BitWriter } from './byte-writer.ts';

const codebookSync = 0x56_43_42;

interface VorbisSetupOptions {
  readonly channels: number;
  /** For each mode, whether its blocks are long. */
  readonly modes: readonly boolean[];
}

/** What follows the packet's kind and name. */
export function vorbisSetup({ channels, modes }: VorbisSetupOptions, random: SeededRandom): Uint8Array {
  const setup = new Setup(random);
  setup.list(8, () => setup.codebook());
  setup.list(6, () => setup.any(16));
  setup.list(6, () => setup.floor());
  setup.list(6, () => setup.residue());
  setup.list(6, () => setup.mapping(channels));
  setup.bits.write(modes.length - 1, 6);
  for (const isLong of modes) {
    setup.bits.write(isLong ? 1 : 0, 1);
    setup.any(16 + 16 + 8);
  }
  return setup.bits.write(1, 1).toBytes();
}

class Setup {
  readonly bits = new BitWriter();
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Bits that say nothing about what follows them. */
  any(bits: number): void {
    for (let left = bits; left > 0; left -= 1) this.bits.write(this.#random.integer(0, 1), 1);
  }

  /** One to three items, after their number less one. */
  list(bits: number, write: () => void): void {
    const count = this.#number(1, 3, { bits, less: 1 });
    for (let left = count; left > 0; left -= 1) write();
  }

  codebook(): void {
    this.bits.write(codebookSync, 24);
    const dimensions = this.#number(1, 4, { bits: 16 });
    const entries = this.#number(1, 40, { bits: 24 });
    const isOrdered = this.#flag();
    if (isOrdered) this.#orderedLengths(entries);
    else this.#lengths(entries);
    const lookup = this.#number(0, 2, { bits: 4 });
    if (lookup === 0) return;
    this.any(32 + 32);
    const valueBits = this.#number(1, 16, { bits: 4, less: 1 });
    this.any(1 + valueBits * (lookup === 1 ? largestRoot(entries, dimensions) : entries * dimensions));
  }

  /** Of each entry, or only of those that are marked as used. */
  #lengths(entries: number): void {
    const isSparse = this.#flag();
    for (let left = entries; left > 0; left -= 1) if (!isSparse || this.#flag()) this.any(5);
  }

  /** How many entries have each length, in as many bits as the number of those that are left has. */
  #orderedLengths(entries: number): void {
    this.#number(1, 20, { bits: 5, less: 1 });
    let left = entries;
    for (let lengths = 1; left > 0; lengths += 1) {
      left -= this.#number(0, left, { bits: left.toString(2).length, ...(lengths === 8 && { least: left }) });
    }
  }

  floor(): void {
    if (this.#number(0, 1, { bits: 16 }) === 0) {
      this.any(8 + 16 + 16 + 6 + 8);
      this.list(4, () => this.any(8));
      return;
    }
    const partitions = this.#number(0, 6, { bits: 5 });
    const classes = Array.from({ length: partitions }, () => this.#number(0, 3, { bits: 4 }));
    const dimensions = Array.from({ length: Math.max(-1, ...classes) + 1 }, () => {
      const dimension = this.#number(1, 8, { bits: 3, less: 1 });
      const subclassBits = this.#number(0, 3, { bits: 2 });
      this.any((subclassBits > 0 ? 8 : 0) + 8 * 2 ** subclassBits);
      return dimension;
    });
    this.any(2);
    const rangeBits = this.#number(0, 15, { bits: 4 });
    for (const index of classes) this.any(rangeBits * (dimensions[index] ?? 0));
  }

  residue(): void {
    this.any(16 + 24 + 24 + 24);
    const classifications = this.#number(1, 5, { bits: 6, less: 1 });
    this.any(8);
    let books = 0;
    for (let left = classifications; left > 0; left -= 1) {
      const low = this.#number(0, 7, { bits: 3 });
      const high = this.#flag() ? this.#number(0, 31, { bits: 5 }) : 0;
      books += [...(high * 8 + low).toString(2)].filter((bit) => bit === '1').length;
    }
    this.any(8 * books);
  }

  mapping(channels: number): void {
    this.any(16);
    const submaps = this.#flag() ? this.#number(1, 4, { bits: 4, less: 1 }) : 1;
    const couplings = this.#flag() ? this.#number(1, 5, { bits: 8, less: 1 }) : 0;
    const channelBits = channels === 1 ? 0 : (channels - 1).toString(2).length;
    this.any(couplings * 2 * channelBits + 2);
    if (submaps > 1) this.any(4 * channels);
    this.any(submaps * (8 + 8 + 8));
  }

  #flag(): boolean {
    return this.#number(0, 1, { bits: 1 }) === 1;
  }

  #number(
    from: number,
    through: number,
    { bits, less = 0, least = from }: { bits: number; less?: number; least?: number },
  ): number {
    const value = this.#random.integer(least, through);
    this.bits.write(value - less, bits);
    return value;
  }
}

/** The largest whole number that, to the power of the dimensions, is not above the entries. */
function largestRoot(entries: number, dimensions: number): number {
  let root = 1;
  while ((root + 1) ** dimensions <= entries) root += 1;
  return root;
}
