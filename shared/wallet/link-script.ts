/**
 * Links a file of `scripts` with the parts of `scripts/common` that it requires. Each file lists these parts in its
 * header, after `-- requires:`; a part may require others, and limit-rows.ts writes one. What a script does not use of them is
 * left out (trim-definitions.ts).
 *
 * A script works on one item of a call, whose arguments are the table `arguments`.
 */
import { limitLists, rateLimitsPart } from './limit-rows.ts';
import assignment from './scripts/common/assignment.lua' with { type: 'text' };
import budgetRoom from './scripts/common/budget-room.lua' with { type: 'text' };
import charge from './scripts/common/charge.lua' with { type: 'text' };
import clock from './scripts/common/clock.lua' with { type: 'text' };
import epoch from './scripts/common/epoch.lua' with { type: 'text' };
import hold from './scripts/common/hold.lua' with { type: 'text' };
import idempotency from './scripts/common/idempotency.lua' with { type: 'text' };
import key from './scripts/common/key.lua' with { type: 'text' };
import lease from './scripts/common/lease.lua' with { type: 'text' };
import leases from './scripts/common/leases.lua' with { type: 'text' };
import limits from './scripts/common/limits.lua' with { type: 'text' };
import numbers from './scripts/common/numbers.lua' with { type: 'text' };
import rate from './scripts/common/rate.lua' with { type: 'text' };
import rateEnd from './scripts/common/rate-end.lua' with { type: 'text' };
import reservation from './scripts/common/reservation.lua' with { type: 'text' };
import spendLimits from './scripts/common/spend-limits.lua' with { type: 'text' };
import spendRecords from './scripts/common/spend-records.lua' with { type: 'text' };
import spending from './scripts/common/spending.lua' with { type: 'text' };
import usage from './scripts/common/usage.lua' with { type: 'text' };
import wallet from './scripts/common/wallet.lua' with { type: 'text' };
import windows from './scripts/common/windows.lua' with { type: 'text' };
import { trimDefinitions } from './trim-definitions.ts';
import { unrollRows } from './unroll-rows.ts';

const parts: ReadonlyMap<string, string> = new Map(
  Object.entries({
    assignment,
    'budget-room': budgetRoom,
    charge,
    clock,
    epoch,
    hold,
    idempotency,
    key,
    lease,
    leases,
    limits,
    numbers,
    rate,
    'rate-end': rateEnd,
    reservation,
    'spend-records': spendRecords,
    spending,
    usage,
    wallet,
    windows,
    'rate-limits': rateLimitsPart,
    'spend-limits': spendLimits,
  }),
);

/** The script's first line, which may contain flags for Redis, stays first. Throws if a part does not exist. */
export function linkScript(script: string, argumentNames: readonly string[]): string {
  const firstLineEnd = script.indexOf('\n') + 1;
  const members = argumentNames.map((name, index) => `${name} = values[at + ${index + 1}]`).join(', ');
  const parts = [shard, ...partsOf(script).map((name) => linked(partNamed(name)))];
  const body = `local arguments = {${members}}\n${linked(script.slice(firstLineEnd))}`;
  const statements = [
    ...parts.flatMap((part) => part.split(/^(?=local )/m)),
    `local function script(values, at)\n${body}\nend`,
  ];
  const run = runItems(argumentNames.length);
  return [script.slice(0, firstLineEnd).trimEnd(), ...trimDefinitions(statements, run)].join('\n');
}

/**
 * The shard of the current item: its tag, such as `{s7}`, which is the prefix of all its keys; its `meta`; and its
 * running requests by the time at which they may be expired.
 */
const shard = `local tag, meta_key, holds_key
local function work_on(shard_tag)
  tag, meta_key, holds_key = shard_tag, shard_tag .. ':meta', shard_tag .. ':holds'
end`;

/** script.ts describes the encoding of items and replies. */
function runItems(argumentCount: number): string {
  return `local values, replies = cjson.decode(ARGV[1]), {}
for at = 1, #values, ${argumentCount + 1} do
  work_on(values[at])
  local succeeded, reply = pcall(script, values, at)
  replies[#replies + 1] = succeeded and reply or type(reply) == 'table' and reply.err or tostring(reply)
end
return cjson.encode(replies)
`;
}

/** The parts that the script requires, directly or not, each once and after the parts that it uses. */
function partsOf(script: string, found: Set<string> = new Set()): string[] {
  for (const name of readRequirements(script)) {
    if (found.has(name)) continue;
    partsOf(partNamed(name), found);
    found.add(name);
  }
  return [...found];
}

function partNamed(name: string): string {
  const part = parts.get(name);
  if (part === undefined) throw new Error(`a wallet script requires ${name}, which does not exist`);
  return part;
}

function readRequirements(code: string): string[] {
  const [, names = ''] = /^-- requires: (.+)$/m.exec(code) ?? [];
  return names.split(', ').filter((name) => name !== '');
}

/** Without comments, and with the loops over rows of limits spelled out. */
function linked(code: string): string {
  const statements = code
    .split('\n')
    .filter((line) => line !== '' && !/^\s*--/.test(line))
    .join('\n');
  return unrollRows(statements, limitLists);
}
