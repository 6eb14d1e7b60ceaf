/**
 * Limits sign-ups, requested mails, refreshed tokens, tests of webhooks, and notifications of payment providers.
 *
 * A stranger decides where these mails go, so they are counted by mailbox. Only resets of a password are counted by
 * address: a stranger could otherwise use up the resets of an owner with addresses that reach the same mailbox.
 */
import { mailboxOf } from './mailbox.ts';
import { type Counter, hashEmail, type Throttle, throttleKey } from './throttle.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A whole office may sign up from one address. */
const signUpsAddressMax = 100;
/** How often per hour a client address may learn that an e-mail address has an account. */
export const takenAddressMax = 5;
const mailsAddressMax = 30;
/** Of each kind, to one recipient. */
const mailsRecipientMax = 5;
const verificationsDayMax = 10;
/** Of one user. A tab refreshes when it is opened, and then every quarter of an hour. */
export const refreshesMax = 300;
const refreshesWindowMs = 10 * minuteMs;
export const refreshesDayMax = 1_000;

/** A whole office may sign in from one address. */
export const signInsAddressMax = 300;
const signInsWindowMs = 10 * minuteMs;

/** Of one organization: each has this program call an address of its choice. */
export const webhookTestsMax = 60;
const webhookTestsWindowMs = 10 * minuteMs;

/** Of all payments of a provider, which sends from few addresses and repeats what is refused. */
export const notificationsAddressMax = 7_200;

export const notificationsRefusal = 'Too many notifications from this address. Try again later.';
export const signUpsRefusal = 'Too many sign-ups from your network or with this address. Try again later.';
export const signInsRefusal = 'Too many sign-ins from your network. Try again later.';
export const mailsRefusal = 'Too many e-mails were requested. Check your inbox, or try again later.';
export const webhookTestsRefusal = 'Too many tests of webhooks. Try again later.';
export const refreshesRefusal = 'Tokens were refreshed too often. Use an access token until it expires.';

interface Recipient {
  /** The e-mail address. */
  readonly to: string;
  /** The client's address. */
  readonly address: string;
}

export class RequestThrottle {
  readonly #throttle: Throttle;

  constructor(throttle: Throttle) {
    this.#throttle = throttle;
  }

  /**
   * Counts the sign-up, its mail, and that the address has an account, until `addressWasFree` is called: so simultaneous
   * sign-ups cannot find out more than others. Throws GatewayError `too_many_attempts`, as all of these do.
   */
  countSignUp({ to, address }: Recipient): Promise<void> {
    const counters: Counter[] = [
      { key: throttleKey('sign-ups', address), max: signUpsAddressMax, windowMs: hourMs },
      { key: takenKey(address), max: takenAddressMax, windowMs: hourMs },
      ...verifications(to),
    ];
    return this.#throttle.take(counters, signUpsRefusal);
  }

  /** The client did not learn that the address of its sign-up has an account. */
  addressWasFree(address: string): Promise<void> {
    return this.#throttle.giveBack(takenKey(address));
  }

  countNotification(address: string): Promise<void> {
    const counter = { key: throttleKey('notifications', address), max: notificationsAddressMax, windowMs: hourMs };
    return this.#throttle.take([counter], notificationsRefusal);
  }

  /** Counts whether or not a mail is sent, so that the limit does not reveal who has an account. */
  countMail({ purpose, to, address }: Recipient & { purpose: 'verify' | 'reset' | 'alert_address' }): Promise<void> {
    const recipient = { verify: verifications, reset: resets, alert_address: confirmations }[purpose](to);
    const counters = [...recipient, { key: throttleKey('mails', address), max: mailsAddressMax, windowMs: hourMs }];
    return this.#throttle.take(counters, mailsRefusal);
  }

  /** Whether another mail may go to an address that is not verified. It is counted then. */
  mayVerify(to: string): Promise<boolean> {
    return this.#throttle.allows(verifications(to));
  }

  /** Whether the owner of an address may be notified today that someone tried to use it. If so, it is counted. */
  mayNotifyOwner(to: string): Promise<boolean> {
    return this.#throttle.allows([{ key: throttleKey('told', hashEmail(to)), max: 1, windowMs: dayMs }]);
  }

  /** Each leaves a row, or makes this program ask an identity provider. */
  countSignIn(address: string): Promise<void> {
    const counter = { key: throttleKey('sign-ins', address), max: signInsAddressMax, windowMs: signInsWindowMs };
    return this.#throttle.take([counter], signInsRefusal);
  }

  countWebhookTest(accountId: number): Promise<void> {
    const key = throttleKey('webhook-tests', String(accountId));
    return this.#throttle.take([{ key, max: webhookTestsMax, windowMs: webhookTestsWindowMs }], webhookTestsRefusal);
  }

  countRefresh(userId: number): Promise<void> {
    const counters: Counter[] = [
      { key: throttleKey('refreshes', String(userId)), max: refreshesMax, windowMs: refreshesWindowMs },
      { key: throttleKey('refreshes-day', String(userId)), max: refreshesDayMax, windowMs: dayMs },
    ];
    return this.#throttle.take(counters, refreshesRefusal);
  }
}

const takenKey = (address: string) => throttleKey('taken', address);

/** Sign-ups, links to verify an address, and links to reset the password of an address that is not verified. */
function verifications(to: string): Counter[] {
  const mailbox = hashEmail(mailboxOf(to));
  return [
    { key: throttleKey('mails', 'verify', mailbox), max: mailsRecipientMax, windowMs: hourMs },
    { key: throttleKey('mails', 'verify-day', mailbox), max: verificationsDayMax, windowMs: dayMs },
  ];
}

const resets = (to: string): Counter[] => [
  { key: throttleKey('mails', 'reset', hashEmail(to)), max: mailsRecipientMax, windowMs: hourMs },
];

const confirmations = (to: string): Counter[] => [
  { key: throttleKey('mails', 'alert_address', hashEmail(mailboxOf(to))), max: mailsRecipientMax, windowMs: hourMs },
];
