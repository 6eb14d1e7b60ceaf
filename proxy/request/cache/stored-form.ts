/**
 * A response as it is stored for repetitions: in the form in which the provider gave it, whole or as events, in the format of our
 * own endpoint or, if the provider speaks the format that the client called, in that one.
 */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { readJson } from '../../../shared/read-json.ts';
import { noUsage, type RenderedCharge } from '../../nouns/usage.ts';
import type { ResponseKeys } from './organization-keys.ts';

/** Written by this version or another one; unknown members are ignored. */
const cachedResponseSchema = Type.Object({
  /** Of the request that it was the response to. */
  requestId: Type.String(),
  storedAtMs: Type.Integer(),
  model: Type.String(),
  deployment: Type.String(),
  /** Counts by unit, as clients are shown them. */
  usage: Type.Record(Type.String(), Type.Integer()),
  form: Type.Union([Type.Literal('whole'), Type.Literal('events')]),
  /** Whether it is in the API format that the client called, which is not that of our own endpoint. */
  isTranslated: Type.Boolean(),
  /** Whether the chunks among its events say that the usage follows. */
  announcesUsage: Type.Boolean(),
  /** The body; or the events, without those that say the usage. */
  text: Type.String(),
  /** The events that say the usage, if they say more than that. */
  ending: Type.String(),
});

export type CachedResponse = Readonly<Static<typeof cachedResponseSchema>>;

const check = TypeCompiler.Compile(cachedResponseSchema);

/** Another form gets another number: it is a miss to a version that does not know it. */
const formVersion = 1;
/** Little more is saved by higher levels, which take several times as long. */
const compression = { level: 1 };
const decoder = new TextDecoder();

/** Of a response, before it is compressed. A larger one is not stored. */
export const storedMaxCharacters = 1024 * 1024;

/** What a repetition costs. */
export function freeCharge({ usage }: Pick<CachedResponse, 'usage'>): RenderedCharge {
  return { usage: { ...noUsage, ...usage }, costUsd: '0' };
}

export function encodeCached(keys: ResponseKeys, name: string, response: CachedResponse): Buffer {
  const compressed = Bun.zstdCompressSync(JSON.stringify(response), compression);
  return Buffer.concat([Buffer.of(formVersion), keys.seal(name, compressed)]);
}

/** Undefined if it cannot be read, for whatever reason. */
export function decodeCached(keys: ResponseKeys, name: string, bytes: Buffer): CachedResponse | undefined {
  if (bytes[0] !== formVersion) return undefined;
  try {
    const response = readJson(decoder.decode(Bun.zstdDecompressSync(keys.open(name, bytes.subarray(1)))));
    return check.Check(response) ? response : undefined;
  } catch {
    return undefined;
  }
}
