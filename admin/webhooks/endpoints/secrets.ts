/** The secrets that sign an endpoint's deliveries, in the form of Standard Webhooks, and how they are stored. */
import { randomBytes } from 'node:crypto';
import { openSecret, sealSecret } from '../../auth/sealed-secret.ts';
import type { webhookEndpoints } from '../../database/tables/webhooks.ts';

export const secretPrefix = 'whsec_';
const secretBytes = 32;

interface Peppers {
  readonly keyPeppers: readonly string[];
}

type StoredSecrets = Pick<
  typeof webhookEndpoints.$inferSelect,
  'id' | 'sealedSecret' | 'formerSealedSecret' | 'formerSecretEndsAt'
>;

export function generateSecret(): string {
  return `${secretPrefix}${randomBytes(secretBytes).toString('base64')}`;
}

export function sealEndpointSecret(peppers: Peppers, endpointId: string, secret: string): string {
  return sealSecret(peppers, purposeOf(endpointId), secret);
}

/** Those that sign now, the newest first. None if their pepper was removed. */
export function signingSecrets(peppers: Peppers, stored: StoredSecrets, now: Date): string[] {
  const { id, sealedSecret, formerSealedSecret, formerSecretEndsAt } = stored;
  const isFormerValid = formerSealedSecret !== null && formerSecretEndsAt !== null && formerSecretEndsAt > now;
  return [sealedSecret, ...(isFormerValid ? [formerSealedSecret] : [])].flatMap((sealed) => {
    try {
      return [openSecret(peppers, purposeOf(id), sealed).text];
    } catch {
      return [];
    }
  });
}

/** The secret sealed again, if it was sealed with a former pepper that is still known. */
export function resealSecret(peppers: Peppers, endpointId: string, sealed: string): string | undefined {
  try {
    const { text, isFormer } = openSecret(peppers, purposeOf(endpointId), sealed);
    return isFormer ? sealEndpointSecret(peppers, endpointId, text) : undefined;
  } catch {
    return undefined;
  }
}

const purposeOf = (endpointId: string) => `secret of webhook endpoint ${endpointId}`;
