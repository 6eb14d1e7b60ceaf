/**
 * The domains of an organization: its identity provider may vouch for addresses of a domain only if who set it up controls the DNS of
 * that domain, which a TXT record shows. A domain is proven by one organization at a time.
 */
import { Resolver } from 'node:dns/promises';
import { and, asc, eq, isNotNull, notInArray, sql } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import { isDomain } from '../../auth/email-address.ts';
import { generateToken } from '../../auth/sessions/secret-token.ts';
import type { Db, DbOrTransaction, Transaction } from '../../database/connect.ts';
import { isUniqueViolation } from '../../database/errors.ts';
import { organizationDomains } from '../../database/tables/sign-in.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';
import { lockAsManager, type Manager } from '../manager.ts';

export type Domain = typeof organizationDomains.$inferSelect;

export const domainsMax = 20;
const recordName = 'model-gateway-verification';
const dnsTimeoutMs = 3_000;

export const recordOf = ({ token }: Pick<Domain, 'token'>) => `${recordName}=${token}`;

/** In lower case, without duplicates. Throws GatewayError `invalid_parameter`. */
export function parseDomains(texts: readonly string[]): string[] {
  const domains = texts.map((text) => text.trim().toLowerCase());
  const wrong = domains.findIndex((domain) => !isDomain(domain));
  if (wrong >= 0) throw badDomain(`domains[${wrong}]`);
  return [...new Set(domains)];
}

export function listDomains(db: DbOrTransaction, accountId: number): Promise<Domain[]> {
  return db
    .select()
    .from(organizationDomains)
    .where(eq(organizationDomains.accountId, accountId))
    .orderBy(asc(organizationDomains.domain));
}

/** Those that stay keep their proof. The account is locked. */
export async function replaceDomains(
  transaction: Transaction,
  accountId: number,
  domains: readonly string[],
): Promise<void> {
  const own = eq(organizationDomains.accountId, accountId);
  const others = domains.length === 0 ? undefined : notInArray(organizationDomains.domain, [...domains]);
  await transaction.delete(organizationDomains).where(and(own, others));
  if (domains.length === 0) return;
  await transaction
    .insert(organizationDomains)
    .values(domains.map((domain) => ({ accountId, domain, token: generateToken() })))
    .onConflictDoNothing();
}

/** The organization that has proven a domain. */
export async function findOwner(db: DbOrTransaction, domain: string): Promise<number | undefined> {
  const [found] = await db
    .select({ accountId: organizationDomains.accountId })
    .from(organizationDomains)
    .where(and(eq(organizationDomains.domain, domain), isNotNull(organizationDomains.provenAt)));
  return found?.accountId;
}

/**
 * Asks DNS for the record. `dnsServer` is `host:port`, or undefined for those of the system. Throws GatewayError `not_found`,
 * `domain_unproven` or `domain_taken`.
 */
export async function proveDomain(
  db: Db,
  actor: Actor,
  caller: Manager,
  { domain, dnsServer }: { domain: string; dnsServer: string | undefined },
): Promise<void> {
  const { accountId } = caller;
  const own = and(eq(organizationDomains.accountId, accountId), eq(organizationDomains.domain, domain));
  const [found] = await db.select().from(organizationDomains).where(own);
  if (found === undefined) throw domainNotFound(domain);
  const record = recordOf(found);
  if (!(await readRecords(domain, dnsServer)).includes(record)) throw domainUnproven(domain, record);
  try {
    await db.transaction(async (transaction) => {
      await lockAsManager(transaction, caller, 'organization:manage');
      const proven = await transaction
        .update(organizationDomains)
        .set({ provenAt: sql`now()` })
        .where(and(own, eq(organizationDomains.token, found.token)))
        .returning();
      if (proven.length === 0 || found.provenAt !== null) return;
      await recordAction(transaction, actor, {
        action: 'sign_in.update',
        subject: `account ${accountId}`,
        accountId,
        after: { provenDomain: domain },
      });
    });
  } catch (error) {
    if (isUniqueViolation(error, 'organization_domains_proven')) throw domainTaken(domain);
    throw error;
  }
}

/** None if the domain has none, or DNS does not answer. */
async function readRecords(domain: string, dnsServer: string | undefined): Promise<string[]> {
  const resolver = new Resolver({ timeout: dnsTimeoutMs, tries: 2 });
  if (dnsServer !== undefined) resolver.setServers([dnsServer]);
  try {
    return (await resolver.resolveTxt(domain)).map((chunks) => chunks.join(''));
  } catch {
    return [];
  }
}

const badDomain = (param: string) =>
  new GatewayError('invalid_parameter', `Invalid value for '${param}': expected a domain such as example.com.`, {
    param,
  });

export const domainNotFound = (domain: string) =>
  new GatewayError('not_found', `The organization has no domain ${domain}.`, { param: 'domain' });

export const domainUnproven = (domain: string, record: string) =>
  new GatewayError(
    'domain_unproven',
    `DNS has no TXT record "${record}" for ${domain}. A new record may take up to an hour to be seen.`,
    { param: 'domain' },
  );

export const domainTaken = (domain: string) =>
  new GatewayError('domain_taken', `Another organization has proven ${domain}. It must remove the domain first.`, {
    param: 'domain',
  });
