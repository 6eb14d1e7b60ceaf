/** The headers that let a receiver verify a delivery: https://github.com/standard-webhooks/standard-webhooks, with HMAC-SHA-256. */
import { createHmac } from 'node:crypto';
import { secretPrefix } from '../endpoints/secrets.ts';

interface Message {
  /** The same for each attempt: receivers recognize repetitions by it. */
  readonly id: string;
  readonly body: string;
  readonly at: Date;
}

/** Signed with each of the secrets, so that one can be replaced while the receiver knows only the other. */
export function signDelivery({ id, body, at }: Message, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signed = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${signature(secret, signed)}`).join(' '),
  };
}

function signature(secret: string, signed: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  return createHmac('sha256', key).update(signed).digest('base64');
}
