/** Limits what strangers may send: sign-ups, requested mails, and notifications of payment providers. */
import { type Counter, hashEmail, type Throttle, throttleKey } from './throttle.ts';

const windowMs = 60 * 60 * 1000;
/** A whole office may sign up from one address. */
const signUpsAddressMax = 100;
const mailsAddressMax = 30;
/** Of each kind, to one recipient. */
const mailsRecipientMax = 5;

/** Of all payments of a provider, which sends from few addresses and repeats what is refused. */
export const notificationsAddressMax = 7_200;

export const notificationsRefusal = 'Too many notifications from this address. Try again later.';
export const signUpsRefusal = 'Too many sign-ups from this address. Try again later.';
export const mailsRefusal = 'Too many e-mails were requested. Check your inbox, or try again later.';

export class RequestThrottle {
  readonly #throttle: Throttle;

  constructor(throttle: Throttle) {
    this.#throttle = throttle;
  }

  /** Throws GatewayError `too_many_attempts`, as `countMail` does. */
  countSignUp(address: string): Promise<void> {
    const counter = { key: throttleKey('sign-ups', address), max: signUpsAddressMax, windowMs };
    return this.#throttle.take([counter], signUpsRefusal);
  }

  countNotification(address: string): Promise<void> {
    const counter = { key: throttleKey('notifications', address), max: notificationsAddressMax, windowMs };
    return this.#throttle.take([counter], notificationsRefusal);
  }

  /** Counts whether or not a mail is sent, so that the limit does not reveal who has an account. */
  countMail(mail: { purpose: 'verify' | 'reset' | 'alert_address'; to: string; address: string }): Promise<void> {
    const { purpose, to, address } = mail;
    const counters: Counter[] = [
      { key: throttleKey('mails', purpose, hashEmail(to)), max: mailsRecipientMax, windowMs },
      { key: throttleKey('mails', address), max: mailsAddressMax, windowMs },
    ];
    return this.#throttle.take(counters, mailsRefusal);
  }
}
