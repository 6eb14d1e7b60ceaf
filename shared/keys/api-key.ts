/**
 * The form of an API key: `ms-` (proxy) or `mk-` (billing), 2 characters naming the wallet's shard, 32 random base62
 * characters (190 bits), 6 base62 characters of CRC-32 over all before them.
 *
 * The checksum lets typos and random guesses be refused without a Redis call. A key is never stored: Postgres and Redis
 * hold its HMAC-SHA-256 under KEY_PEPPER. A new pepper is rotated in while the keys are used: each is hashed again when a
 * program that accepts both peppers sees it.
 */
import { parseShardName, type Shard, shardName } from '../wallet/shard.ts';

export type KeyKind = 'proxy' | 'billing';

export interface ParsedKey {
  readonly kind: KeyKind;
  readonly shard: Shard;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const kindPrefixes: Record<KeyKind, string> = { proxy: 'ms-', billing: 'mk-' };
const shardEnd = 5;
const randomLength = 32;
const checksumLength = 6;
const bodyLength = shardEnd + randomLength;
const keyLength = bodyLength + checksumLength;
const displayedPrefixLength = 11;
/** Hash states that have absorbed their pepper: creating one costs as much as hashing a key. */
const begunHashes = new Map<string, Bun.CryptoHasher>();
const keyPattern = /^m[sk]-\d\d[0-9A-Za-z]{38}$/;

export function generateKey(kind: KeyKind, shard: Shard): string {
  const body = `${kindPrefixes[kind]}${shardName(shard)}${randomBase62(randomLength)}`;
  return body + checksum(body);
}

/** The parts of the key, or undefined if its form or checksum is wrong. */
export function parseKey(key: string): ParsedKey | undefined {
  if (key.length !== keyLength || !keyPattern.test(key)) return undefined;
  if (Bun.hash.crc32(key.slice(0, bodyLength)) !== readBase62(key, bodyLength)) return undefined;
  const shard = parseShardName(key.slice(3, shardEnd));
  if (shard === undefined) return undefined;
  return { kind: key.startsWith(kindPrefixes.proxy) ? 'proxy' : 'billing', shard };
}

/** The part that lists may show: enough to recognise a key, far too little to use it. */
export function displayedPrefix(key: string): string {
  return key.slice(0, displayedPrefixLength);
}

/** 64 hexadecimal characters. */
export function hashKey(key: string, pepper: string): string {
  let begun = begunHashes.get(pepper);
  if (begun === undefined) {
    begun = new Bun.CryptoHasher('sha256', pepper);
    begunHashes.set(pepper, begun);
  }
  return begun.copy().update(key).digest('hex');
}

/**
 * Recognises a pepper without telling it, so that the keys that are still hashed with a former one can be counted:
 * 12 hexadecimal characters.
 */
export function pepperMark(pepper: string): string {
  return new Bun.CryptoHasher('sha256', pepper).update('mark of this pepper').digest('hex').slice(0, 12);
}

function checksum(body: string): string {
  return toBase62(Bun.hash.crc32(body)).padStart(checksumLength, '0');
}

function toBase62(value: number): string {
  let rest = value;
  let text = '';
  do {
    text = alphabet.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  } while (rest > 0);
  return text;
}

/** Decodes the output of `toBase62`, from `start` to the end of the text. */
function readBase62(text: string, start: number): number {
  let value = 0;
  for (let position = start; position < text.length; position += 1) {
    value = value * 62 + digitOf(text.charCodeAt(position));
  }
  return value;
}

/** The value of a letter or digit: its place among digits, capitals, lower-case letters. */
function digitOf(code: number): number {
  if (code <= 0x39) return code - 0x30;
  return code <= 0x5a ? code - 0x41 + 10 : code - 0x61 + 36;
}

/** Bytes of 248 and above are discarded, so that every character is equally likely. */
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}
