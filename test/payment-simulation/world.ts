/**
 * One run's world: an account, two admins on one Postgres and one Redis, two scripted providers that misbehave, and a
 * clock that only the run moves. Admins are killed between any two of their steps: a step throws before or after its
 * effect, and what follows never happens.
 */
import { parsePercent } from '../../admin/money/payment-money.ts';
import type { PaymentServices } from '../../admin/payments/payment-services.ts';
import { openPayments } from '../../admin/payments/payment-services.ts';
import { takeNotification } from '../../admin/payments/take-notification.ts';
import { createLog } from '../../shared/log.ts';
import { parseRubPerUsd, parseUsd } from '../../shared/money.ts';
import { mortal } from '../harness/mortal.ts';
import type { Fault, HeldPayment, ScriptedPaymentProvider } from '../harness/payments/scripted-provider.ts';
import { stripeNotification, stripeSecret, stripeWebhookSecret } from '../harness/payments/stripe-wire.ts';
import { yookassaNotification, yookassaSecret } from '../harness/payments/yookassa-wire.ts';
import type { SeededRandom } from '../harness/seeded-random.ts';
import type { Harness } from '../harness.ts';

export interface Stage {
  readonly harness: Harness;
  readonly yookassa: ScriptedPaymentProvider;
  readonly stripe: ScriptedPaymentProvider;
}

interface QueuedNotification {
  readonly method: 'yookassa' | 'stripe';
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly dueMs: number;
}

/** Ahead of the servers' own clocks, so that what they date themselves is in the past. */
const startMs = Date.now() + 3_600_000;
const hourMs = 3_600_000;
const log = createLog({ program: 'admin', level: 'silent' });

export class World {
  readonly admins: readonly PaymentServices[];
  isCalm = false;
  nowMs = startMs;
  readonly #queue: QueuedNotification[] = [];

  constructor(
    readonly stage: Stage,
    readonly random: SeededRandom,
    readonly accountId: number,
  ) {
    this.admins = [this.#openAdmin(), this.#openAdmin()];
    for (const provider of this.providers) {
      provider.now = () => this.now();
      provider.fault = (call) => this.#drawFault(call.method);
      provider.refundState = () =>
        this.isCalm ? 'succeeded' : this.random.weighted({ succeeded: 6, pending: 2, refused: 1 });
      provider.cardState = () => (this.isCalm ? 'paid' : this.random.weighted({ paid: 6, pending: 2, declined: 2 }));
    }
  }

  get providers(): readonly ScriptedPaymentProvider[] {
    return [this.stage.yookassa, this.stage.stripe];
  }

  /** This run's payments at a provider. */
  held(provider: ScriptedPaymentProvider): HeldPayment[] {
    return [...provider.payments.values()].filter(({ createdAt }) => createdAt.getTime() >= startMs);
  }

  admin(): PaymentServices {
    return this.random.pick(this.admins);
  }

  readonly now = (): Date => new Date(this.nowMs);

  /** Now, or days late; several times; or lost, if that is allowed. */
  notify(provider: ScriptedPaymentProvider, payment: HeldPayment, { mayBeLost = true, type = '' } = {}): void {
    const copies = this.random.pick(mayBeLost ? [0, 1, 1, 2, 20] : [1, 1, 2, 20]);
    for (let copy = 0; copy < copies; copy += 1) {
      const delayMs = this.random.pick([0, 0, 60_000, hourMs, 72 * hourMs]);
      this.#queue.push({ ...this.write(provider, payment, type), dueMs: this.nowMs + delayMs });
    }
  }

  write(provider: ScriptedPaymentProvider, payment: HeldPayment, type = '') {
    if (provider === this.stage.yookassa) {
      return { method: 'yookassa' as const, headers: {}, ...yookassaNotification(payment, type || undefined) };
    }
    return { method: 'stripe' as const, ...stripeNotification(payment, type === '' ? {} : { type }) };
  }

  /** Delivers due ones concurrently, in any order. A provider repeats those that did not get a 200. */
  async deliver(): Promise<void> {
    const due = this.random.shuffle(this.#queue.filter(({ dueMs }) => dueMs <= this.nowMs));
    const rest = this.#queue.filter(({ dueMs }) => dueMs > this.nowMs);
    this.#queue.splice(0, this.#queue.length, ...rest);
    await Promise.all(
      due.map(async (notification) => {
        try {
          await this.send(notification);
        } catch {
          this.#queue.push({ ...notification, dueMs: this.nowMs + hourMs });
        }
      }),
    );
  }

  async send({ method, body, headers }: Omit<QueuedNotification, 'dueMs'>): Promise<string> {
    const admin = this.admin();
    const found = admin.methods.get(method);
    if (found === undefined) throw new Error(`no method ${method}`);
    return takeNotification(admin, found, { headers, body });
  }

  /** Of the next notification; infinite if there is none. */
  get nextDeliveryMs(): number {
    return Math.min(...this.#queue.map(({ dueMs }) => dueMs));
  }

  #drawFault(method: string): Fault {
    if (this.isCalm) return 'none';
    const rare = method === 'POST' ? 2 : 1;
    return readFault(this.random.weighted({ none: 12, cut: rare, lost: 1, 'too many': 1, broken: 1, slow: rare }));
  }

  #openAdmin(): PaymentServices {
    const { harness, yookassa, stripe } = this.stage;
    const config = {
      publicUrl: 'http://localhost:8081',
      rubPerUsd: parseRubPerUsd('90.1234'),
      cbrUrl: undefined,
      payments: {
        yookassa: {
          shopId: yookassa.shop,
          secretKey: yookassaSecret,
          apiUrl: yookassa.url,
          vatCode: undefined,
          offsetVatCode: undefined,
          taxSystemCode: undefined,
          hasOffsetReceipts: false,
        },
        stripe: { secretKey: stripeSecret, webhookSecrets: [stripeWebhookSecret], apiUrl: stripe.url },
        sellerFile: undefined,
        hasTestMethod: false,
        minNano: parseUsd('0.01'),
        maxNano: parseUsd('10000'),
        marginPpm: parsePercent('1.5'),
        billingTimeZone: 'Europe/Moscow',
      },
    };
    const services = openPayments({ ...harness, config, log });
    const isKilled = () => !this.isCalm && this.random.chance(0.02);
    const calls = ['create', 'query', 'refund', 'findRefund'] as const;
    return {
      ...services,
      now: () => this.now(),
      database: { ...harness.database, db: mortal(harness.database.db, ['transaction'], isKilled) },
      withdrawals: mortal(services.withdrawals, ['setAside', 'giveBack'], isKilled),
      keeper: mortal(services.keeper, ['credit'], isKilled),
      methods: new Map(Array.from(services.methods, ([id, method]) => [id, mortal(method, calls, isKilled)])),
    };
  }
}

function readFault(name: 'none' | 'cut' | 'lost' | 'too many' | 'broken' | 'slow'): Fault {
  if (name === 'too many') return 429;
  return name === 'broken' ? 500 : name;
}
