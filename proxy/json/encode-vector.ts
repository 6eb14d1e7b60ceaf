/** Vectors in base64, as OpenAI's clients expect them: little-endian 32-bit floats. */

export function encodeVector(vector: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(vector.length * Float32Array.BYTES_PER_ELEMENT);
  vector.forEach((value, position) => {
    bytes.writeFloatLE(value, position * Float32Array.BYTES_PER_ELEMENT);
  });
  return bytes.toString('base64');
}

/** Undefined if the text is not such a vector. */
export function decodeVector(text: string): number[] | undefined {
  const bytes = Buffer.from(text, 'base64');
  const length = bytes.length / Float32Array.BYTES_PER_ELEMENT;
  if (length === 0 || !Number.isInteger(length)) return undefined;
  return Array.from({ length }, (_, position) => bytes.readFloatLE(position * Float32Array.BYTES_PER_ELEMENT));
}
