/** Images and documents. Converse accepts only their data, never a URL. */
import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import { type DataUrl, readDataUrl } from '../../../nouns/requests/data-url.ts';
import type { MediaBlock } from './converse-request.ts';

const imageFormats: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/jpg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

const office = 'application/vnd.openxmlformats-officedocument';
const documentFormats: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['application/msword', 'doc'],
  [`${office}.wordprocessingml.document`, 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  [`${office}.spreadsheetml.sheet`, 'xlsx'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
  ['text/markdown', 'md'],
  // Text for which Converse has no format of its own.
  ['application/json', 'txt'],
  ['application/xml', 'txt'],
  ['application/yaml', 'txt'],
  ['', 'txt'],
]);

const nameMax = 150;

/** The names of a request's documents, which must be unique for Converse. */
export class DocumentNames {
  readonly #counts = new Map<string, number>();
  readonly #taken = new Set<string>();

  /** For valid characters see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html */
  nameOf(filename: unknown): string {
    const stem = typeof filename === 'string' ? filename.replace(/\.[^.]*$/, '') : '';
    const plain =
      stem
        .replaceAll(/[^A-Za-z0-9()[\]-]+/g, ' ')
        .trim()
        .slice(0, nameMax)
        .trim() || 'document';
    let count = this.#counts.get(plain) ?? 0;
    let name = plain;
    do {
      count += 1;
      if (count > 1) name = `${plain} (${count})`;
    } while (this.#taken.has(name));
    this.#counts.set(plain, count);
    this.#taken.add(name);
    return name;
  }
}

export interface MediaContext {
  /** The path of the URL in the request. */
  readonly param: string;
  readonly names: DocumentNames;
  readonly filename?: unknown;
}

/** Throws GatewayError that names `param`. */
export function mediaBlockOf(url: string, { param, names, filename }: MediaContext): MediaBlock {
  const data = readDataUrl(url);
  if (data === undefined)
    throw unsupportedParameter(param, 'This model only accepts images and documents as data URLs.');
  const { type } = data;
  const imageFormat = imageFormats.get(type);
  if (imageFormat !== undefined) return { image: { format: imageFormat, source: { bytes: bytesOf(data, param) } } };
  const format = documentFormats.get(type) ?? (type.startsWith('text/') ? 'txt' : undefined);
  if (format === undefined) {
    throw unsupportedParameter(param, 'This model only accepts PNG, JPEG, GIF, WebP, PDF, Office and text files.');
  }
  return { document: { format, name: names.nameOf(filename), source: { bytes: bytesOf(data, param) } } };
}

/** Base64. */
function bytesOf({ data, isBase64 }: DataUrl, param: string): string {
  if (isBase64) return data;
  try {
    return Buffer.from(decodeURIComponent(data)).toString('base64');
  } catch {
    throw invalidParameter(param, 'UTF-8 text');
  }
}
