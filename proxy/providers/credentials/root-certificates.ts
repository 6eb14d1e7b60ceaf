/** Root certificates of providers with their own authority, read once from the files that a catalogue names. */
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';

const fileMaxBytes = 1024 * 1024;

export class RootCertificates {
  readonly #read = new Map<string, string>();

  /** PEM. Throws UpstreamFailure; a file that could not be read is tried again. */
  async read(path: string): Promise<string> {
    const known = this.#read.get(path);
    if (known !== undefined) return known;
    const pem = await readCertificates(path);
    this.#read.set(path, pem);
    return pem;
  }
}

async function readCertificates(path: string): Promise<string> {
  try {
    const pem = await Bun.file(path).slice(0, fileMaxBytes).text();
    if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  } catch (cause) {
    throw unusable(path, cause);
  }
  throw unusable(path, undefined);
}

/** The file's path goes to the log, not to the customer. */
function unusable(path: string, cause: unknown): UpstreamFailure {
  return new UpstreamFailure('unreachable', "The provider's certificate is not configured.", {
    cause: new Error(`${path} does not contain a readable certificate`, { cause }),
  });
}
