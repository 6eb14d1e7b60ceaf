/**
 * Customers who top up by card while everything fails: they order, pay on the provider's page or do not, and operators
 * refund some of it. The provider misbehaves too, and its notifications are lost or come many times. Each call is
 * repeated with its Idempotency-Key until it gets a response, so that at the end every payment must be booked exactly
 * once.
 */
import type { Customer } from '../../harness/customers.ts';
import type { Fault } from '../../harness/payments/scripted-provider.ts';
import { yookassaNotification } from '../../harness/payments/yookassa-wire.ts';
import type { SeededRandom } from '../../harness/seeded-random.ts';
import type { World } from '../world/world.ts';
import { type AdminResponse, askAdmin } from './admin-call.ts';

const retryMs = 200;
const thinkMsMax = 600;
/** How many orders later most payments are booked, so that they can be refunded. */
const bookedAfter = 8;
const faults: readonly Fault[] = ['none', 'none', 'none', 'none', 'cut', 'lost', 429, 500, 'slow'];
/** The state of what is called, or of the servers. Anything else is a violation. */
const refusedCodes = ['payment_state', 'refund_too_large', 'too_many_payments'];
const outages = [
  'database_unavailable',
  'wallet_unavailable',
  'payment_provider_unavailable',
  'idempotency_in_progress',
  'shutting_down',
];

export interface PaymentLoad {
  readonly created: () => number;
  readonly refunded: () => number;
  /** How many refunds were refused, by code. */
  readonly refusals: ReadonlyMap<string, number>;
  /** Resolves when every call has its response. From then on the provider behaves. */
  stop(): Promise<void>;
  /** Responses that should not occur. */
  readonly problems: readonly string[];
}

interface Caller {
  readonly world: World;
  readonly random: SeededRandom;
  readonly patienceMs: number;
  readonly problems: string[];
}

/** A call that gets no response for `patienceMs` is a problem. */
export function startPaymentLoad(
  world: World,
  { random, patienceMs }: { readonly random: SeededRandom; readonly patienceMs: number },
): PaymentLoad {
  const caller = { world, random, patienceMs, problems: [] as string[] };
  world.yookassa.fault = () => random.pick(faults);
  let [created, refunded] = [0, 0];
  const refusals = new Map<string, number>();
  let stopping = false;
  const run = async (payer: Customer) => {
    const paymentIds: string[] = [];
    while (!stopping) {
      const amount = `${random.integer(100, 5_000)}.${random.integer(10, 99)}`;
      const input = { method: 'yookassa', amount, currency: 'RUB' };
      const { status, body } = await repeat(caller, '/api/payments', { user: payer, body: input });
      if (status === 201) {
        created += 1;
        paymentIds.push(Object(body).id);
        await visitPage(caller, Object(body).id);
        const part = { amount: '50.55', reason: 'Paid too much' };
        const path = `/api/operator/payments/${paymentIds.at(-bookedAfter) ?? paymentIds[0]}/refund`;
        if (random.chance(0.3)) {
          const { status, code = 'none' } = await repeat(caller, path, { user: world.operator, body: part });
          if (status === 201) refunded += 1;
          else refusals.set(code, (refusals.get(code) ?? 0) + 1);
        }
      }
      await Bun.sleep(random.integer(0, thinkMsMax));
    }
  };
  const running = world.payers.map(run);
  return {
    created: () => created,
    refunded: () => refunded,
    refusals,
    problems: caller.problems,
    stop: async () => {
      stopping = true;
      await Promise.all(running);
      world.yookassa.fault = () => 'none';
    },
  };
}

/** Until it has a response, from any admin. */
async function repeat(
  { world, random, patienceMs, problems }: Caller,
  path: string,
  { user, body }: { user: Customer; body: object },
): Promise<AdminResponse> {
  const key = crypto.randomUUID();
  const untilMs = Date.now() + patienceMs;
  for (;;) {
    const admin = random.pick(world.admins.alive);
    const token = await world.sessions.tokenOf(user);
    const response = await askAdmin(admin, ['POST', path], { token, key, body });
    if (response.status === 401) {
      world.sessions.end(user);
      continue;
    }
    if (response.status === 201 || refusedCodes.includes(response.code ?? '')) return response;
    if (Date.now() > untilMs || (response.status !== 0 && !outages.includes(response.code ?? ''))) {
      problems.push(`POST ${path}: ${response.status} ${response.code}`);
      return response;
    }
    await Bun.sleep(retryMs);
  }
}

/** The customer pays, fails, or goes away; the provider notifies any admin, many times or never. */
async function visitPage({ world, random }: Caller, paymentId: string): Promise<void> {
  const held = [...world.yookassa.payments.values()].find((payment) => payment.paymentId === paymentId);
  if (held === undefined) return;
  const outcome = random.weighted({ paid: 8, declined: 1, expired: 1 });
  if (outcome === 'paid') world.yookassa.pay(held);
  else held.state = outcome;
  const notification = JSON.parse(yookassaNotification(held).body);
  const notify = () =>
    askAdmin(random.pick(world.admins.alive), ['POST', '/api/webhooks/yookassa'], { body: notification });
  await Promise.all(Array.from({ length: random.pick([0, 1, 1, 2, 20]) }, notify));
}
