/**
 * All kinds of mails, each with the data of its template. Amounts are decimal strings, instants are ISO 8601:
 * all of it is kept as JSON until the mail is sent.
 */
import type { Language } from '../../shared/languages.ts';
import type { SpendLimitName } from '../../shared/limits/spend-limits.ts';
import type { memberships } from '../database/tables/accounts.ts';
import type { documentTypes } from '../database/tables/documents.ts';

export interface Link {
  /** Opens the dashboard; anyone who has it can act for the recipient, so it is kept only until the mail is sent. */
  readonly url: string;
  /** The mail is not sent after this time. */
  readonly expiresAt: string;
}

type Role = (typeof memberships.$inferSelect)['role'];

interface PaidAmount {
  readonly amountMinor: string;
  readonly currency: 'RUB' | 'USD';
}

interface ListedChange {
  readonly model: string;
  readonly field: string;
  readonly from: string | null;
  readonly to: string | null;
}

export interface MailData {
  readonly low_balance: {
    /** `low` is a reminder, or a fall that was reported later. */
    readonly event: 'fallen' | 'low' | 'empty';
    readonly balanceNano: string;
    readonly thresholdKopecks: string;
    /** The rate at which the two were compared, in ten-thousandths. */
    readonly rubPerUsd: string;
    readonly rateDate: string | null;
    readonly rateSource: 'cbr' | 'configured';
    /**
     * Only for further addresses of an account: the account's e-mail address, and the token of the unsubscribe link.
     */
    readonly accountEmail?: string;
    readonly stopToken?: string;
  };
  readonly budget_alert: {
    readonly level: 'organization' | 'project' | 'member';
    /** Of the organization or the project, or the e-mail address of the member. */
    readonly name: string;
    readonly period: SpendLimitName;
    /** The threshold that was passed. */
    readonly percent: number;
    readonly amountNano: string;
    readonly spentNano: string;
    /** Null if the period never begins again. */
    readonly resetsAt: string | null;
    /** Only for further addresses of an account, as above. */
    readonly accountEmail?: string;
    readonly stopToken?: string;
  };
  readonly verify_email: Link;
  readonly verify_alert_address: Link & { readonly accountEmail: string };
  readonly reset_password: Link;
  /** Sent to the current address. */
  readonly email_change: { readonly newEmail: string; readonly requestedAt: string };
  readonly password_changed: { readonly changedAt: string; readonly keysDeactivated: number };
  /** Something about the second factor has changed. */
  readonly sign_in_changed: {
    readonly change:
      | 'app_added'
      | 'app_removed'
      | 'passkey_added'
      | 'passkey_removed'
      | 'codes_replaced'
      | 'code_used'
      | 'reset';
    readonly changedAt: string;
    readonly recoveryCodesLeft: number;
  };
  /** Only if the verification has ended something. */
  readonly address_verified: { readonly verifiedAt: string; readonly keysDeactivated: number };
  /** Someone else tried to sign up with the address, or to move another account to it. */
  readonly address_in_use: { readonly attempt: 'sign_up' | 'change_address'; readonly attemptedAt: string };
  /** To join an organization. */
  readonly invitation: Link & { readonly organization: string; readonly invitedBy: string; readonly role: Role };
  /** `forfeitedNano` is the balance that was given up; null where there was none. */
  readonly account_deleted: { readonly deletedAt: string; readonly forfeitedNano: string | null };
  /** Amounts in kopecks or cents. */
  readonly payment_received: PaidAmount & { readonly creditNano: string; readonly balanceNano: string };
  readonly payment_failed: PaidAmount;
  /** `isReversed` if the provider took it back without us; then `balanceNano` is null where the wallet had nothing. */
  readonly payment_refunded: PaidAmount & { readonly isReversed: boolean; readonly balanceNano: string | null };
  /** A dispute was won; `balanceNano` is null where all of it was owed. */
  readonly payment_restored: PaidAmount & { readonly balanceNano: string | null };
  /** After it had succeeded, so that its amount is back; `balanceNano` is null where all of it was owed. */
  readonly refund_failed: PaidAmount & { readonly balanceNano: string | null };
  readonly auto_top_up_failed: PaidAmount & { readonly nextAttemptAt: string };
  readonly auto_top_up_stopped: PaidAmount & { readonly reason: 'failures' | 'dispute' };
  /** The document is attached as a PDF when the mail is sent. The amount is in kopecks; of a reconciliation, its balance. */
  readonly document_ready: {
    readonly documentId: string;
    readonly type: (typeof documentTypes)[number];
    readonly number: number;
    readonly date: string;
    /** Of a correction that keeps the number of what it corrects. */
    readonly correctionNumber?: number;
    readonly amountMinor: string;
  };
  /** A webhook endpoint is inactive, because an event of this type could not be delivered. */
  readonly webhook_rested: {
    readonly endpointUrl: string;
    readonly type: string;
    readonly error: string;
    readonly restedAt: string;
  };
  /** A day in UTC, from which requests for the model fail. */
  readonly model_retiring: { readonly model: string; readonly retiresAt: string };
  /** To operators: a published price list says something else than the catalogue. */
  readonly price_list_differs: {
    readonly listUrl: string;
    /** How many models it says something else about, and the first of these. */
    readonly models: number;
    readonly examples: readonly ListedChange[];
    /** How many prices differ by more than `largeFactor` times. */
    readonly largeChanges: number;
    readonly largeFactor: number;
    readonly newModels: number;
  };
  readonly test: { readonly requestedAt: string };
}

export type MailKind = keyof MailData;

/** The content of a mail, independent of its recipient. */
export type MailContent = { [Kind in MailKind]: { readonly kind: Kind; readonly data: MailData[Kind] } }[MailKind];

export type NewMail = MailContent & {
  readonly to: string;
  readonly language: Language;
  /** The account that it is about. */
  readonly accountId: number;
};
