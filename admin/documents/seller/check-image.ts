/** Whether an image of a stamp or signature can be printed: a whole PNG or JPEG of moderate size. */

const imageMaxBytes = 2 * 1024 * 1024;

const formats = [
  { begins: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], ends: [0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82] },
  { begins: [0xff, 0xd8, 0xff], ends: [0xff, 0xd9] },
] as const;

/** The problem, or undefined; it continues a sentence that begins with the field's name. */
export function findImageProblem(bytes: Uint8Array): string | undefined {
  if (bytes.length > imageMaxBytes) return 'must be an image of at most 2 MiB.';
  const format = formats.find(({ begins }) => begins.every((byte, index) => bytes[index] === byte));
  if (format === undefined) return 'must be a PNG or JPEG image.';
  const end = bytes.subarray(-format.ends.length);
  return format.ends.every((byte, index) => end[index] === byte) ? undefined : 'is an incomplete image.';
}
