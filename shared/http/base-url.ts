/** Addresses to which paths are appended. */

/** `https://example.com/v1//` → `https://example.com/v1` */
export function withoutTrailingSlashes(url: string): string {
  let { length } = url;
  while (url[length - 1] === '/') length -= 1;
  return url.slice(0, length);
}
