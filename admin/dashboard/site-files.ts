/**
 * The files of the dashboard's build. They are read at each request, so a new build is served immediately, and a name can
 * only be that of a file directly in the build's assets.
 */
import { join } from 'node:path';

export interface SiteFile {
  readonly body: Bun.BunFile;
  readonly contentType: string;
  /** Undefined if it is served as it is. */
  readonly encoding: 'br' | 'gzip' | undefined;
}

const encodings = [
  { encoding: 'br', suffix: '.br' },
  { encoding: 'gzip', suffix: '.gz' },
] as const;
const contentTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  html: 'text/html; charset=utf-8',
};
/** Without a slash, and without the suffix of a compressed file. */
const assetName = /^[\w-]+(?:\.[\w-]+)*\.(?<extension>js|css|json|svg|woff2)$/;

export class SiteFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined if nothing has been built. */
  page(acceptEncoding: string | undefined): Promise<SiteFile | undefined> {
    return this.#find('index.html', 'html', acceptEncoding);
  }

  async asset(name: string, acceptEncoding: string | undefined): Promise<SiteFile | undefined> {
    const extension = assetName.exec(name)?.groups?.extension;
    return extension === undefined ? undefined : this.#find(join('assets', name), extension, acceptEncoding);
  }

  async #find(name: string, extension: string, acceptEncoding = ''): Promise<SiteFile | undefined> {
    const contentType = contentTypes[extension] ?? 'application/octet-stream';
    const path = join(this.#folder, name);
    for (const { encoding, suffix } of encodings) {
      if (!isAccepted(acceptEncoding, encoding)) continue;
      const body = Bun.file(path + suffix);
      if (await body.exists()) return { body, contentType, encoding };
    }
    const body = Bun.file(path);
    return (await body.exists()) ? { body, contentType, encoding: undefined } : undefined;
  }
}

/** RFC 9110, section 12.5.3: a quality of 0 refuses an encoding. */
function isAccepted(acceptEncoding: string, encoding: string): boolean {
  return acceptEncoding
    .split(',')
    .map((part) => part.split(';').map((parameter) => parameter.trim().toLowerCase()))
    .some(([name, quality]) => (name === encoding || name === '*') && !/^q=0(?:\.0*)?$/.test(quality ?? ''));
}
