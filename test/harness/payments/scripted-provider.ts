/**
 * A payment provider whose truth the test decides: orders, what customers pay, refunds and disputes, served over HTTP in
 * the wire format of a real one. It can misbehave at each call. Every change that a call makes is idempotent by its key,
 * as providers document.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** What happens to a call: `cut` does what was requested and then closes the connection without a response. */
export type Fault = 'none' | 'cut' | 'lost' | 403 | 429 | 500 | 'slow';

export interface HeldPayment {
  readonly reference: string;
  /** Our id, from the call. */
  readonly paymentId: string;
  amountMinor: bigint;
  currency: string;
  /** The shop that the payment belongs to. */
  shop: string;
  state: 'pending' | 'paid' | 'declined' | 'expired';
  readonly createdAt: Date;
  paidAt: Date | undefined;
  refundedMinor: bigint;
  readonly disputes: HeldDispute[];
  /** Whether the card is kept once it is paid. */
  readonly savesCard?: boolean;
  /** The card that was charged without the customer. */
  readonly card?: string;
}

export interface HeldDispute {
  readonly reference: string;
  readonly amountMinor: bigint;
  isWon: boolean;
}

/** What disputes have taken and not given back. */
export const disputedMinorOf = ({ disputes }: Pick<HeldPayment, 'disputes'>): bigint =>
  disputes.reduce((sum, { amountMinor, isWon }) => sum + (isWon ? 0n : amountMinor), 0n);

export interface HeldRefund {
  readonly reference: string;
  readonly payment: HeldPayment;
  readonly amountMinor: bigint;
  /** The metadata of the call. */
  readonly label: string;
  state: 'succeeded' | 'pending' | 'refused';
}

/** A receipt that offsets an advance. */
export interface HeldReceipt {
  readonly reference: string;
  readonly payment: HeldPayment;
  readonly amountMinor: bigint;
  readonly description: string;
  readonly email: string;
  readonly vatCode: number;
  state: 'succeeded' | 'pending' | 'canceled';
}

export interface WireCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface WireResponse {
  readonly status: number;
  readonly body: object;
}

/** A provider's wire format: parses calls, and renders what the provider holds. */
export interface Wire {
  readonly idempotencyHeader: string;
  /** How the reference of a charge of a saved card begins. */
  readonly chargePrefix: string;
  respond(call: WireCall, provider: ScriptedPaymentProvider): WireResponse;
}

const slowMs = 40;
/** As long as YooKassa and Stripe keep them. */
const keyLifeMs = 24 * 3_600_000;

export class ScriptedPaymentProvider {
  readonly payments = new Map<string, HeldPayment>();
  readonly refunds = new Map<string, HeldRefund>();
  readonly receipts = new Map<string, HeldReceipt>();
  readonly calls: WireCall[] = [];
  /** The fault of the next call. A promise delays the response, which has the state from before. */
  fault: (call: WireCall) => Fault | Promise<void> = () => 'none';
  refundState: () => HeldRefund['state'] = () => 'succeeded';
  receiptState: () => HeldReceipt['state'] = () => 'succeeded';
  /** What happens to a saved card that is charged. */
  cardState: () => 'paid' | 'pending' | 'declined' = () => 'paid';
  now: () => Date = () => new Date();
  readonly shop = '506751';
  readonly #responses = new Map<string, { readonly respond: WireResponse; readonly atMs: number }>();
  readonly #server: ReturnType<typeof createServer>;
  readonly #wire: Wire;
  #references = 0;

  private constructor(wire: Wire) {
    this.#wire = wire;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(wire: Wire): Promise<ScriptedPaymentProvider> {
    const provider = new ScriptedPaymentProvider(wire);
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the provider does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  open(details: Pick<HeldPayment, 'paymentId' | 'amountMinor' | 'currency' | 'savesCard' | 'card'>): HeldPayment {
    const payment: HeldPayment = {
      ...details,
      reference: this.newReference(details.card === undefined ? 'pay' : this.#wire.chargePrefix),
      shop: this.shop,
      state: 'pending',
      createdAt: this.now(),
      paidAt: undefined,
      refundedMinor: 0n,
      disputes: [],
    };
    this.payments.set(payment.reference, payment);
    if (details.card !== undefined) {
      const state = this.cardState();
      if (state === 'paid') this.pay(payment);
      else payment.state = state;
    }
    return payment;
  }

  dispute({ disputes }: HeldPayment, amountMinor: bigint): void {
    disputes.push({ reference: this.newReference('dp'), amountMinor, isWon: false });
  }

  winDispute({ disputes }: HeldPayment): void {
    for (const dispute of disputes) dispute.isWon = true;
  }

  /** Undefined if more than was paid would go back. */
  giveBack(payment: HeldPayment, amountMinor: bigint, label: string): HeldRefund | undefined {
    if (
      payment.state !== 'paid' ||
      payment.refundedMinor + disputedMinorOf(payment) + amountMinor > payment.amountMinor
    ) {
      return undefined;
    }
    const reference = this.newReference('ref');
    const refund: HeldRefund = { reference, payment, amountMinor, label, state: this.refundState() };
    this.refunds.set(refund.reference, refund);
    if (refund.state !== 'refused') payment.refundedMinor += amountMinor;
    return refund;
  }

  refundsOf(payment: HeldPayment | undefined): HeldRefund[] {
    return [...this.refunds.values()].filter((refund) => refund.payment === payment);
  }

  /** A refund that was pending ends. */
  endRefund(refund: HeldRefund, state: 'succeeded' | 'refused'): void {
    if (refund.state !== 'pending') return;
    if (state === 'refused') this.failRefund(refund);
    else refund.state = state;
  }

  /** A refund comes back, even one that has succeeded. */
  failRefund(refund: HeldRefund): void {
    if (refund.state === 'refused') return;
    refund.state = 'refused';
    refund.payment.refundedMinor -= refund.amountMinor;
  }

  /** Undefined if more than was paid would be used. */
  addReceipt(receipt: Omit<HeldReceipt, 'reference' | 'state'>): HeldReceipt | undefined {
    const used = [...this.receipts.values()]
      .filter(({ payment, state }) => payment === receipt.payment && state !== 'canceled')
      .reduce((sum, { amountMinor }) => sum + amountMinor, receipt.amountMinor);
    if (receipt.payment.state !== 'paid' || used > receipt.payment.amountMinor) return undefined;
    const added: HeldReceipt = { ...receipt, reference: this.newReference('rt'), state: this.receiptState() };
    this.receipts.set(added.reference, added);
    return added;
  }

  pay(payment: HeldPayment): void {
    if (payment.state !== 'pending') return;
    payment.state = 'paid';
    payment.paidAt = this.now();
  }

  of(paymentId: string): HeldPayment {
    const payment = [...this.payments.values()].find((held) => held.paymentId === paymentId);
    if (payment === undefined) throw new Error(`the provider has no payment ${paymentId}`);
    return payment;
  }

  newReference(prefix: string): string {
    this.#references += 1;
    return `${prefix}_${this.#references}-${crypto.randomUUID().slice(0, 8)}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://provider');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const body = Buffer.concat(chunks).toString();
    const call = { method: request.method ?? 'GET', path: url.pathname, query: url.searchParams, headers, body };
    this.calls.push(call);
    const fault = this.fault(call);
    if (fault === 'lost') return void request.socket.destroy();
    if (typeof fault === 'number') return write(response, { status: fault, body: { error: { type: 'api_error' } } });
    const wireResponse = this.#response(call);
    if (fault === 'cut') return void request.socket.destroy();
    if (fault === 'slow') await Bun.sleep(slowMs);
    if (fault instanceof Promise) await fault;
    write(response, wireResponse);
  }

  #response(call: WireCall): WireResponse {
    const key = call.method === 'POST' ? call.headers[this.#wire.idempotencyHeader] : undefined;
    const known = key === undefined ? undefined : this.#responses.get(key);
    const atMs = this.now().getTime();
    if (known !== undefined && atMs - known.atMs < keyLifeMs) return known.respond;
    const wireResponse = this.#wire.respond(call, this);
    if (key !== undefined) this.#responses.set(key, { respond: wireResponse, atMs });
    return wireResponse;
  }
}

function write(response: ServerResponse, { status, body }: WireResponse): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(body));
}
