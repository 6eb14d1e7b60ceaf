/** A file of an export: what it is called, what it says, and its text in chunks. */

export interface ExportFile {
  readonly name: string;
  /** For the README of the export: one sentence. */
  readonly about: string;
  chunks(): AsyncIterable<string>;
}

/** One that is small enough to be written in one go. */
export function textFile(name: string, about: string, text: string): ExportFile {
  return {
    name,
    about,
    chunks: async function* () {
      yield text;
    },
  };
}

export function jsonFile(name: string, about: string, value: unknown): ExportFile {
  return textFile(name, about, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** A JSON file with an array that may be long: an element a line, written page by page. */
export function jsonListFile(name: string, about: string, pages: () => AsyncIterable<readonly object[]>): ExportFile {
  return {
    name,
    about,
    chunks: async function* () {
      let separator = '[\n';
      for await (const page of pages()) {
        let text = '';
        for (const element of page) {
          text += separator + JSON.stringify(element);
          separator = ',\n';
        }
        if (text !== '') yield text;
      }
      yield separator === '[\n' ? '[]\n' : '\n]\n';
    },
  };
}
