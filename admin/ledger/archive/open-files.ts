/** Files of charges that are kept open, because opening one reads its whole directory: as many as memory may hold. */
import type { ChargeFile } from './file/charge-file.ts';

interface OpenFile {
  readonly opening: Promise<ChargeFile>;
  /** 0 while it is being opened. */
  groups: number;
}

/** In the directories of all of them: some 20 kB each. */
const usualGroupsMax = 2_000;

export class OpenFiles {
  readonly #groupsMax: number;
  /** The one that was used last is the last. */
  readonly #files = new Map<string, OpenFile>();

  constructor({ groupsMax = usualGroupsMax } = {}) {
    this.#groupsMax = groupsMax;
  }

  /** What cannot be opened is opened again the next time. */
  async open(name: string, open: () => Promise<ChargeFile>): Promise<ChargeFile> {
    const used = this.#files.get(name) ?? { opening: open(), groups: 0 };
    this.#files.delete(name);
    this.#files.set(name, used);
    try {
      const opened = await used.opening;
      used.groups = opened.groups.length;
      this.#closeUnused(name);
      return opened;
    } catch (error) {
      if (this.#files.get(name) === used) this.#files.delete(name);
      throw error;
    }
  }

  get names(): readonly string[] {
    return [...this.#files.keys()];
  }

  #closeUnused(kept: string): void {
    let groups = 0;
    for (const file of this.#files.values()) groups += file.groups;
    for (const [name, file] of this.#files) {
      if (groups <= this.#groupsMax) return;
      if (name === kept) continue;
      this.#files.delete(name);
      groups -= file.groups;
    }
  }
}
