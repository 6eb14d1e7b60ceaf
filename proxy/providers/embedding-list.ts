/** Renders any provider's vectors as the embedding list of our endpoint. */
import { counted } from '../../shared/counted.ts';
import type { EmbeddingCall } from '../nouns/call.ts';
import { UpstreamFailure } from '../nouns/upstream-failure.ts';
import type { Usage } from '../nouns/usage.ts';
import { renderEmbeddingUsage } from '../pricing/render-usage.ts';
import type { UpstreamBody } from './adapter.ts';

interface Embeddings {
  /** In the order of the inputs. */
  readonly vectors: readonly (readonly number[])[];
  readonly usage: Usage | null;
}

/** Throws UpstreamFailure if there are fewer vectors than inputs, because it is unknown which ones are missing. */
export function embeddingBody({ vectors, usage }: Embeddings, call: EmbeddingCall): UpstreamBody {
  const { prompts: inputs } = call;
  if (vectors.length < inputs) {
    throw new UpstreamFailure(
      'malformed',
      `The provider returned ${counted(vectors.length, 'embedding')} for ${counted(inputs, 'input')}.`,
    );
  }
  const encode = wantsBase64(call) ? encodeVector : (vector: readonly number[]) => vector;
  return {
    usage,
    outputTexts: [],
    render: (charge) => {
      const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encode(vector) }));
      const list = JSON.stringify({ object: 'list', data, model: call.model });
      return `${list.slice(0, -1)},"usage":${renderEmbeddingUsage(charge)}}`;
    },
  };
}

function wantsBase64(call: EmbeddingCall): boolean {
  return call.body.encoding_format === 'base64';
}

/** In base64, as OpenAI's clients expect vectors: little-endian 32-bit floats. */
function encodeVector(vector: readonly number[]): string {
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
