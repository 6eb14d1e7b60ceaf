/** Customers with money and keys, created by the same code that the command line and the API use. */
import { createUser } from '../../admin/auth/create-user.ts';
import type { HashCosts } from '../../admin/auth/passwords/password-hasher.ts';
import type { Database } from '../../admin/database/connect.ts';
import { createKey } from '../../admin/keys/create-key.ts';
import { hydrateWallets } from '../../admin/ledger/hydrate-wallets.ts';
import { postCredit } from '../../admin/ledger/post-credit.ts';
import { deliverOutbox } from '../../admin/wallets/deliver-outbox.ts';
import { parseUsd } from '../../shared/money.ts';
import type { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';

export const testPassword = 'correct horse battery staple';

const cheapest = { memoryCost: 8, timeCost: 1 } as const;
const hashCheaply = (password: string) => Bun.password.hash(password, { algorithm: 'argon2id', ...cheapest });
/** The hash that the product uses takes a fifth of a second. */
export const testHashCosts: HashCosts = { ...cheapest, unmatchableHash: await hashCheaply(crypto.randomUUID()) };

export interface Customer {
  readonly email: string;
  readonly userId: number;
  readonly accountId: number;
  readonly proxyKey: string;
  readonly proxyKeyId: number;
  readonly billingKey: string;
}

export interface CustomerServices {
  readonly database: Database;
  readonly keeper: WalletKeeper;
  readonly keyPepper: string;
}

/** `usd` of "0" creates a customer who has never paid. */
export async function createCustomer(
  services: CustomerServices,
  options: { usd: string; email?: string; role?: 'customer' | 'operator' },
): Promise<Customer> {
  const { database, keeper, keyPepper } = services;
  const email = options.email ?? `${crypto.randomUUID()}@example.com`;
  const passwordHash = await hashCheaply(testPassword);
  const user = await createUser(database.db, {
    email,
    passwordHash,
    displayName: null,
    role: options.role ?? 'customer',
    ownership: 'proven',
  });
  const { homeAccountId: accountId } = user;
  if (parseUsd(options.usd) > 0n) await credit(services, accountId, options.usd);
  const key = { accountId, name: 'test', expiresAt: null };
  const proxy = await createKey(database.db, keyPepper, { ...key, kind: 'proxy' });
  const billing = await createKey(database.db, keyPepper, { ...key, kind: 'billing' });
  await deliverOutbox({ sql: database.sql, keeper }, accountId);
  return { email, userId: user.id, accountId, proxyKey: proxy.key, proxyKeyId: proxy.id, billingKey: billing.key };
}

export async function credit(services: CustomerServices, accountId: number, usd: string): Promise<void> {
  await postCredit(services.database.db, {
    accountId,
    type: 'payment',
    amountNano: parseUsd(usd),
    reason: 'test',
    idempotencyKey: crypto.randomUUID(),
  });
  await deliverOutbox({ sql: services.database.sql, keeper: services.keeper }, accountId);
}

/** A customer who has never paid has no wallet until their first request, which waits for admin to create it. */
export async function openWallet({ database, keeper }: CustomerServices, accountId: number): Promise<void> {
  await hydrateWallets({ sql: database.sql, keeper }, [accountId]);
}

export async function createExpiredKey(services: CustomerServices, accountId: number): Promise<string> {
  const expiresAt = new Date(Date.now() - 1_000);
  const { key } = await createKey(services.database.db, services.keyPepper, {
    accountId,
    kind: 'proxy',
    name: 'expired',
    expiresAt,
  });
  await deliverOutbox({ sql: services.database.sql, keeper: services.keeper }, accountId);
  return key;
}
