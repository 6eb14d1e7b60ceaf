/** The members of an organization at the command line: what an operator does where nobody in it can. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { membersSchema } from '../../../admin/api/organizations/organization-schemas.ts';
import { createMember } from '../../dashboard/harness/organization.ts';
import type { Customer } from '../../harness/customers.ts';
import { type Harness, startHarness } from '../../harness.ts';
import type { AuditList } from '../api/response-types.ts';
import { type Gateway, gatewayOf } from './run-gateway.ts';

type Members = typeof membersSchema.static;

let harness: Harness;
let gateway: Gateway;
beforeAll(async () => {
  harness = await startHarness();
  gateway = gatewayOf(harness);
});
afterAll(() => harness.stop());

const run = <Json>(...args: string[]) => gateway<Json>([...args, '--json']);

async function stateOf(id: number, { accountId }: Customer): Promise<string> {
  const [key] = await harness.database.sql<
    { active: boolean }[]
  >`SELECT active FROM api_keys WHERE id = ${id} AND account_id = ${accountId}`;
  return key?.active ? 'active' : 'inactive';
}

async function newOrganization() {
  const owner = await harness.createCustomer({ usd: '1' });
  const { accountId } = owner;
  const member = await createMember(harness, { accountId, role: 'member' });
  return { owner, member, account: String(accountId) };
}

/** A key of the owner's organization, as if this member had created it. */
async function giveKeyTo({ userId }: Customer, { proxyKeyId }: Customer): Promise<number> {
  await harness.database.sql`UPDATE api_keys SET created_by = ${userId} WHERE id = ${proxyKeyId}`;
  return proxyKeyId;
}

const rolesIn = ({ members }: Members) => members.map(({ email, role }) => [email, role]);

test('another member becomes the owner, and the former one is removed, whose keys go on as theirs', async () => {
  const { owner, member, account } = await newOrganization();
  const id = await giveKeyTo(owner, owner);
  const promoted = await run<Members>(
    'member',
    'role',
    '--account',
    account,
    '--email',
    member.email,
    '--role',
    'owner',
  );
  expect(rolesIn(promoted.json)).toEqual([
    [owner.email, 'owner'],
    [member.email, 'owner'],
  ]);
  const leaving = ['--account', account, '--id', String(owner.userId), '--keys-to', member.email];
  const { json: left } = await run<Members>('member', 'remove', ...leaving);
  expect(rolesIn(left)).toEqual([[member.email, 'owner']]);
  expect(await stateOf(id, owner)).toBe('active');
  const { json: audit } = await run<AuditList>('audit', '--limit', '2');
  expect(audit.entries).toMatchObject([
    { action: 'member.remove', after: { keysTransferred: 1 } },
    { action: 'member.role', after: { role: 'owner' } },
  ]);
});

test('without someone who takes them over, the keys of who is removed stop at once', async () => {
  const { owner, member, account } = await newOrganization();
  const id = await giveKeyTo(member, owner);
  const { out } = await gateway(['member', 'remove', '--account', account, '--email', member.email]);
  expect(out).toContain('It is effective now.');
  expect(await stateOf(id, owner)).toBe('inactive');
});

test('the list is aligned for people, and bad input changes nothing', async () => {
  const { owner, member, account } = await newOrganization();
  const { out } = await gateway(['member', 'list', '--account', account]);
  expect(out.split('\n')[0]).toBe('USER\tROLE\tTWO FACTORS\tJOINED\tLAST SEEN\tEMAIL\tNAME');
  const stranger = await harness.createCustomer({ usd: '0' });
  for (const args of [
    ['role', '--account', account, '--email', owner.email, '--role', 'member'],
    ['role', '--account', account, '--email', member.email, '--role', 'king'],
    ['role', '--account', account, '--email', stranger.email, '--role', 'admin'],
    ['role', '--account', '999999999', '--email', member.email, '--role', 'admin'],
    ['role', '--email', member.email, '--role', 'admin'],
    ['remove', '--account', account, '--email', owner.email],
    ['remove', '--account', account, '--email', stranger.email],
    ['remove', '--account', account, '--email', member.email, '--keys-to', stranger.email],
    ['remove', '--account', account, '--email', member.email, '--keys-to', member.email],
    ['remove', '--account', account],
  ]) {
    const { exitCode } = await gateway(['member', ...args]);
    expect({ args, failed: exitCode !== 0 }).toEqual({ args, failed: true });
  }
  const { json } = await run<Members>('member', 'list', '--email', owner.email);
  expect(rolesIn(json)).toEqual([
    [owner.email, 'owner'],
    [member.email, 'member'],
  ]);
});
