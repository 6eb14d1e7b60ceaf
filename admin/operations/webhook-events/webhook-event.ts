/**
 * What the webhooks of an organization report, each event with its data. Amounts are decimal strings, instants are ISO 8601: both
 * outlive this program, and receivers rely on them, so members are only added.
 */
import type { KeyKind } from '../../../shared/keys/api-key.ts';
import type { SpendLimitName } from '../../../shared/limits/spend-limits.ts';
import type { memberships } from '../../database/tables/accounts.ts';
import type { documentTypes } from '../../database/tables/documents.ts';

export const webhookEventTypes = [
  'balance.low',
  'balance.used_up',
  'budget.threshold',
  'budget.used_up',
  'payment.succeeded',
  'payment.refunded',
  'payment.restored',
  'document.issued',
  'key.created',
  'key.deleted',
  'member.joined',
  'model.retiring',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** What endpoints get on request, whatever they subscribe to. */
export const testEventType = 'webhook.test';

interface Balance {
  readonly balanceUsd: string;
  /** The threshold of the alert settings. */
  readonly thresholdRub: string;
}

interface Budget {
  readonly level: 'organization' | 'project' | 'member';
  /** Of the project or the user; null for the organization. */
  readonly scopeId: number | null;
  readonly period: SpendLimitName;
  /** The highest threshold that was passed. */
  readonly percent: number;
  readonly amountUsd: string;
  readonly spentUsd: string;
  /** Null if the period never begins again. */
  readonly resetsAt: string | null;
}

interface PaidAmount {
  readonly paymentId: string;
  /** In `currency`. */
  readonly amount: string;
  readonly currency: 'RUB' | 'USD';
}

interface NamedKey {
  readonly keyId: number;
  readonly kind: KeyKind;
  readonly name: string;
  readonly prefix: string;
}

export interface WebhookData {
  readonly 'balance.low': Balance;
  readonly 'balance.used_up': Balance;
  readonly 'budget.threshold': Budget;
  readonly 'budget.used_up': Budget;
  readonly 'payment.succeeded': PaidAmount & { readonly creditUsd: string; readonly balanceUsd: string };
  /** `balanceUsd` is null where nothing could be taken from the wallet. */
  readonly 'payment.refunded': PaidAmount & {
    readonly refundId: string;
    /** By the provider, without us. */
    readonly isReversed: boolean;
    readonly balanceUsd: string | null;
  };
  /** What a refund or a dispute took has come back. `balanceUsd` is null where all of it was owed. */
  readonly 'payment.restored': PaidAmount & {
    readonly restorationId: string;
    readonly cause: 'dispute_won' | 'refund_failed';
    readonly balanceUsd: string | null;
  };
  readonly 'document.issued': {
    readonly documentId: string;
    readonly type: (typeof documentTypes)[number];
    readonly number: number;
    readonly date: string;
    readonly amountRub: string;
  };
  readonly 'key.created': NamedKey;
  readonly 'key.deleted': NamedKey;
  readonly 'member.joined': {
    readonly userId: number;
    readonly email: string;
    readonly role: (typeof memberships.$inferSelect)['role'];
  };
  readonly 'model.retiring': {
    readonly model: string;
    readonly retiresAt: string;
    /** 30 or 7, at most. */
    readonly daysLeft: number;
  };
}

export type WebhookEvent = {
  [Type in WebhookEventType]: { readonly type: Type; readonly data: WebhookData[Type] };
}[WebhookEventType];
