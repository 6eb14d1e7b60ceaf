/** The events of webhooks that can be chosen, in their order, each with its text. */
import type { eventTexts } from './event-texts.ts';
import type { EventType } from './queries.ts';

type EventText = NonNullable<(typeof eventTexts)['key']>;

export const textOfEvent: Readonly<Record<EventType, EventText>> = {
  'balance.low': 'balanceLow',
  'balance.used_up': 'balanceUsedUp',
  'budget.threshold': 'budgetThreshold',
  'budget.used_up': 'budgetUsedUp',
  'payment.succeeded': 'paymentSucceeded',
  'payment.refunded': 'paymentRefunded',
  'payment.restored': 'paymentRestored',
  'document.issued': 'documentIssued',
  'key.created': 'keyCreated',
  'key.deleted': 'keyDeleted',
  'member.joined': 'memberJoined',
  'model.retiring': 'modelRetiring',
};

export const eventTypes = Object.keys(textOfEvent) as EventType[];
