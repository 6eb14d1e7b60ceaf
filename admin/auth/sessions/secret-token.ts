/** Opaque tokens that grant access: 256 random bits, of which only the SHA-256 is stored. */

/** 43 URL-safe characters. */
export function generateToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}

/** 64 hexadecimal characters. A plain hash is sufficient: 256 random bits cannot be guessed. */
export function hashToken(token: string): string {
  return new Bun.CryptoHasher('sha256').update(token).digest('hex');
}

/** The token that follows another one: the same each time, and known only to who has both the secret and the other. */
export function deriveToken(token: string, secret: string): string {
  return new Bun.CryptoHasher('sha256', secret).update(`successor of refresh token ${token}`).digest('base64url');
}
