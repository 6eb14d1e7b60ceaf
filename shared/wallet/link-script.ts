/**
 * Makes a script of one file of `scripts` and the parts of `scripts/common` that it requires. Each file says in its header
 * which parts that are, after `-- requires:`; a part may require others. Redis makes every function of a script again in
 * each run, so a script requires what it uses and no more.
 *
 * A script works on one `order`: a table of the arguments that its header names after `-- arguments:`, each on a line of its
 * own.
 */
import charge from './scripts/common/charge.lua' with { type: 'text' };
import clock from './scripts/common/clock.lua' with { type: 'text' };
import epoch from './scripts/common/epoch.lua' with { type: 'text' };
import hold from './scripts/common/hold.lua' with { type: 'text' };
import idempotency from './scripts/common/idempotency.lua' with { type: 'text' };
import key from './scripts/common/key.lua' with { type: 'text' };
import limits from './scripts/common/limits.lua' with { type: 'text' };
import numbers from './scripts/common/numbers.lua' with { type: 'text' };
import order from './scripts/common/order.lua' with { type: 'text' };
import rate from './scripts/common/rate.lua' with { type: 'text' };
import rateEnd from './scripts/common/rate-end.lua' with { type: 'text' };
import spending from './scripts/common/spending.lua' with { type: 'text' };
import usage from './scripts/common/usage.lua' with { type: 'text' };
import wallet from './scripts/common/wallet.lua' with { type: 'text' };

const parts: ReadonlyMap<string, string> = new Map(
  Object.entries({
    charge,
    clock,
    epoch,
    hold,
    idempotency,
    key,
    limits,
    numbers,
    order,
    rate,
    'rate-end': rateEnd,
    spending,
    usage,
    wallet,
  }),
);

export interface LinkedScript {
  readonly source: string;
  /** In the order in which they are sent. */
  readonly argumentNames: readonly string[];
}

/** The first line of a script, which may hold flags for Redis, stays the first. Throws where a part does not exist. */
export function linkScript(script: string): LinkedScript {
  const firstLineEnd = script.indexOf('\n') + 1;
  const argumentNames = readArguments(script);
  const members = argumentNames.map((name, index) => `${name} = ARGV[${index + 1}]`).join(', ');
  const source = [
    script.slice(0, firstLineEnd).trimEnd(),
    shard,
    ...partsOf(script).map((name) => withoutComments(partNamed(name))),
    `local function script(ARGV)\nlocal order = {${members}}`,
    withoutComments(script.slice(firstLineEnd)),
    runOrders,
  ].join('\n');
  return { source, argumentNames };
}

/**
 * The shard that the present order is about: its tag, such as `{s7}`, with which all names of keys begin; its `meta`; and its
 * running requests by the time at which they may be expired.
 */
const shard = `local tag, meta_key, holds_key
local function work_on(shard_tag)
  tag, meta_key, holds_key = shard_tag, shard_tag .. ':meta', shard_tag .. ':holds'
end`;

/** See script.ts for how orders and replies travel. */
const runOrders = `end
local replies = {}
for index, packed in ipairs(cjson.decode(ARGV[1])) do
  work_on(packed[1])
  local succeeded, reply = pcall(script, packed[2])
  replies[index] = succeeded and reply or type(reply) == 'table' and reply.err or tostring(reply)
end
return cjson.encode(replies)
`;

/** What the script requires and what that requires, each once and behind what it uses. */
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

/** The names are three blanks behind the dashes; what explains them is further in. */
function readArguments(script: string): string[] {
  const [, lines = ''] = /^-- arguments:\n((?:-- {3}.*\n)*)/m.exec(script) ?? [];
  return [...lines.matchAll(/^-- {3}(\w+)/gm)].map(([, name = '']) => name);
}

function withoutComments(code: string): string {
  return code
    .split('\n')
    .filter((line) => line !== '' && !/^\s*--/.test(line))
    .join('\n');
}
