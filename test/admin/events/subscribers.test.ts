/** Places for event streams: whatever others open, a client that has few always gets one. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Member, Subscribers } from '../../../admin/events/subscribers.ts';
import { GatewayError } from '../../../shared/errors.ts';

const limits = { account: 4, address: 10, all: 30 };
const memberOf = (accountId: number, address: string): Member => ({ accountId, address });

function isRefused(subscribers: Subscribers<Member>, member: Member): boolean {
  try {
    subscribers.add(member);
    return false;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'rate_limit_exceeded') return true;
    throw error;
  }
}

const crowd = fc.array(fc.record({ account: fc.nat(12), address: fc.nat(5), leaves: fc.boolean() }), {
  minLength: 40,
  maxLength: 200,
});

test('no limit is exceeded, and the replaced stream belongs to the account or address with the most', () => {
  fc.assert(
    fc.property(crowd, (steps) => {
      const subscribers = new Subscribers<Member>(limits);
      const model: Member[] = [];
      const sizes = (name: 'accountId' | 'address') => {
        const counts = new Map<unknown, number>();
        for (const member of model) counts.set(member[name], (counts.get(member[name]) ?? 0) + 1);
        return counts;
      };
      for (const { account, address, leaves } of steps) {
        const [first] = model;
        if (leaves && first !== undefined) {
          subscribers.delete(first);
          model.shift();
        }
        const newcomer = memberOf(account, `10.0.0.${address}`);
        const [accounts, addresses] = [sizes('accountId'), sizes('address')];
        const isFull = (accounts.get(account) ?? 0) >= 4 || (addresses.get(newcomer.address) ?? 0) >= 10;
        if (isFull) {
          expect(isRefused(subscribers, newcomer)).toBe(true);
          continue;
        }
        const replaced = subscribers.add(newcomer);
        expect(replaced !== undefined).toBe(model.length === 30);
        if (replaced !== undefined) {
          const most = Math.max(...accounts.values(), ...addresses.values());
          const own = [accounts.get(replaced.accountId) ?? 0, addresses.get(replaced.address) ?? 0];
          expect(Math.max(...own)).toBe(most);
          model.splice(model.indexOf(replaced), 1);
        }
        model.push(newcomer);
        expect([...subscribers]).toEqual(model);
      }
    }),
  );
});

test('a new client gets a place after any number of accounts and addresses have taken all', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 4 }), (hosts, each) => {
      const subscribers = new Subscribers<Member>(limits);
      for (let account = 0; account < 200; account += 1) {
        for (let stream = 0; stream < each; stream += 1) {
          isRefused(subscribers, memberOf(account, `10.0.0.${account % hosts}`));
        }
      }
      const visitor = memberOf(1_000, '192.0.2.1');
      expect(isRefused(subscribers, visitor)).toBe(false);
      // And keeps it, whatever the others continue to open.
      for (let account = 200; account < 400; account += 1) {
        isRefused(subscribers, memberOf(account, `10.0.0.${account % hosts}`));
      }
      expect([...subscribers]).toContain(visitor);
    }),
  );
});

test('the oldest stream of those with the most is replaced', () => {
  const subscribers = new Subscribers<Member>({ account: 3, address: 100, all: 4 });
  const [oldest, ...others] = [1, 1, 1].map((account) => memberOf(account, 'a'));
  for (const member of [memberOf(2, 'b'), oldest, ...others]) if (member !== undefined) subscribers.add(member);
  expect(subscribers.add(memberOf(3, 'c'))).toBe(oldest);
});

test('a new client is refused while clients with one place each have all of them, until one leaves', () => {
  const subscribers = new Subscribers<Member>({ account: 1, address: 1, all: 2 });
  const [first, second] = [memberOf(1, 'a'), memberOf(2, 'b')];
  subscribers.add(first);
  subscribers.add(second);
  const third = memberOf(3, 'c');
  expect(isRefused(subscribers, third)).toBe(true);
  subscribers.delete(first);
  expect(isRefused(subscribers, third)).toBe(false);
});
