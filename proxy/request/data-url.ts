/** Data in the place of an address: `data:image/png;base64,iVBO…` (RFC 2397). */

export interface DataUrl {
  /** In lower case and without parameters; empty where the URL names none. */
  readonly type: string;
  readonly isBase64: boolean;
  readonly data: string;
}

export function isDataUrl(url: string): boolean {
  return /^data:/i.test(url);
}

/** Undefined where it is none, or has no data. */
export function readDataUrl(url: string): DataUrl | undefined {
  const comma = isDataUrl(url) ? url.indexOf(',') : -1;
  if (comma < 0) return undefined;
  const [type = '', ...attributes] = url.slice('data:'.length, comma).toLowerCase().split(';');
  const isBase64 = attributes.some((attribute) => attribute.trim() === 'base64');
  return { type: type.trim(), isBase64, data: url.slice(comma + 1) };
}
