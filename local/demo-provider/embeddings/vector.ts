/**
 * A deterministic embedding without a model: words and runs of three letters are hashed onto the dimensions, so that
 * texts that share words or parts of words are close to each other. It does not capture meaning.
 *
 * Invariant: the vector has length 1.
 */
import { embeddingDimensions } from '../models.ts';

const wordWeight = 2;
const gramLength = 3;

export function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(embeddingDimensions);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]+/gu) ?? []) {
    add(vector, word, wordWeight);
    const framed = ` ${word} `;
    for (let start = 0; start + gramLength <= framed.length; start += 1) {
      add(vector, framed.slice(start, start + gramLength), 1);
    }
  }
  // As with OpenAI's models, a shorter vector is the beginning of the full one.
  return normalised(vector.slice(0, dimensions));
}

/** The hash also sets the sign, so that collisions in one dimension cancel out on average. */
function add(vector: Float32Array, feature: string, weight: number): void {
  const hash = Bun.hash.wyhash(feature);
  const index = Number(hash % BigInt(vector.length));
  const sign = hash >> 63n === 0n ? 1 : -1;
  vector[index] = (vector[index] ?? 0) + sign * weight;
}

function normalised(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (length > 0) return vector.map((value) => value / length);
  // All components are 0 (a text of spaces, or very few dimensions): any unit vector will do.
  vector[0] = 1;
  return vector;
}
