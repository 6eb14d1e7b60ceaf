/** URLs that contain their data: `data:image/png;base64,iVBO…` (RFC 2397). */

export interface DataUrl {
  /** In lower case and without parameters; empty if the URL has none. */
  readonly type: string;
  readonly isBase64: boolean;
  readonly data: string;
}

export function isDataUrl(url: string): boolean {
  return /^data:/i.test(url);
}

/** Undefined if it is not a data URL, or has no data. */
export function readDataUrl(url: string): DataUrl | undefined {
  const comma = isDataUrl(url) ? url.indexOf(',') : -1;
  if (comma < 0) return undefined;
  const [type = '', ...attributes] = url.slice('data:'.length, comma).toLowerCase().split(';');
  const isBase64 = attributes.some((attribute) => attribute.trim() === 'base64');
  return { type: type.trim(), isBase64, data: url.slice(comma + 1) };
}
