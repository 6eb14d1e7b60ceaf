/** Root certificates of providers that no usual authority has signed, read once from the files that a catalogue names. */
import { UpstreamFailure } from '../upstream-failure.ts';

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

/** Which file it is, is for the log, not for the customer. */
function unusable(path: string, cause: unknown): UpstreamFailure {
  return new UpstreamFailure('unreachable', "The provider's certificate is not configured.", {
    cause: new Error(`${path} holds no certificate that can be read`, { cause }),
  });
}
