/** UTF-8 of single code points beyond ASCII, written into a buffer. */

export function utf8Size(codePoint: number): number {
  return codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
}

export function writeUtf8(
  codePoint: number,
  { size, into, at }: { readonly size: number; readonly into: Uint8Array; readonly at: number },
): void {
  let rest = codePoint;
  for (let index = size - 1; index > 0; index -= 1) {
    into[at + index] = 0x80 | (rest & 0x3f);
    rest >>= 6;
  }
  into[at] = (0xf00 >> size) | rest;
}
