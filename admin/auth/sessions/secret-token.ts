/** Opaque tokens that open something: 256 random bits, of which only the SHA-256 is stored. */

/** 43 characters that are safe in a URL. */
export function generateToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}

/** 64 hexadecimal characters. A plain hash will do: nobody guesses 256 random bits. */
export function hashToken(token: string): string {
  return new Bun.CryptoHasher('sha256').update(token).digest('hex');
}
