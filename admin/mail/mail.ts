/**
 * All kinds of mail, each with the data of its template. Amounts are decimal strings, instants are ISO 8601: the data
 * is stored as JSON until the mail is sent.
 */
import type { MailLanguage } from '../../shared/tables/mails.ts';

export interface Link {
  /** Opens the dashboard. Its holder can act for the recipient, so it is stored only until the mail is sent. */
  readonly url: string;
  /** The mail is not sent after this time. */
  readonly expiresAt: string;
}

export interface MailData {
  readonly low_balance: {
    /** Absent in mails from versions before 0.1.0. `low` is a reminder, or a fall that is reported later. */
    readonly event?: 'fallen' | 'low' | 'empty';
    readonly balanceNano: string;
    readonly thresholdKopecks: string;
    /** The rate at which the two were compared, in ten-thousandths. */
    readonly rubPerUsd: string;
    readonly rateDate: string | null;
    readonly rateSource: 'cbr' | 'configured';
    /** Only for an account's additional addresses: the account's own address, and the token of the unsubscribe link. */
    readonly accountEmail?: string;
    readonly stopToken?: string;
  };
  readonly verify_email: Link;
  readonly verify_alert_address: Link & { readonly accountEmail: string };
  readonly reset_password: Link;
  /** Sent to the present address. */
  readonly email_change: { readonly newEmail: string; readonly requestedAt: string };
  /** Versions before 0.1.0 wrote no `keysDeactivated`. */
  readonly password_changed: { readonly changedAt: string; readonly keysDeactivated?: number };
  /** Only if the verification has ended something. */
  readonly address_verified: { readonly verifiedAt: string; readonly keysDeactivated: number };
  readonly test: { readonly requestedAt: string };
}

export type MailKind = keyof MailData;

/** The content of a mail, independent of the recipient. */
export type MailContent = { [Kind in MailKind]: { readonly kind: Kind; readonly data: MailData[Kind] } }[MailKind];

export type NewMail = MailContent & {
  readonly to: string;
  readonly language: MailLanguage;
  /** The account that it is about. */
  readonly accountId: number;
};
