/** A key as webhooks report it. */
import type { WebhookData } from '../operations/webhook-events/webhook-event.ts';
import type { Key } from './find-key.ts';

export function webhookDataOf({ id, kind, name, prefix }: Key): WebhookData['key.created'] {
  return { keyId: id, kind, name, prefix };
}
