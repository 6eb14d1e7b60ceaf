/**
 * Puts in front of a script the common functions that it uses, and what those use. Redis makes every function of a
 * script anew in each run, so those that nobody calls would cost time in every request.
 */
import holds from './scripts/common/holds.lua' with { type: 'text' };
import limits from './scripts/common/limits.lua' with { type: 'text' };
import prelude from './scripts/common/prelude.lua' with { type: 'text' };

interface Definition {
  readonly names: readonly string[];
  readonly code: string;
}

/** In an order in which each uses only those before it. Between two definitions, and nowhere else, is an empty line. */
const definitions: readonly Definition[] = [prelude, limits, holds].flatMap((file) =>
  file
    .split(/\n{2,}/)
    .map(withoutComments)
    .map((code) => ({ code, names: namesIn(code) }))
    .filter(({ names }) => names.length > 0),
);

/**
 * The first line of a script, which may hold flags for Redis, stays the first. The script becomes a function that is
 * called for each order with the order's parameters as ARGV; see script.ts for how they travel.
 */
export function linkScript(script: string): string {
  const firstLineEnd = script.indexOf('\n') + 1;
  const body = withoutComments(script.slice(firstLineEnd));
  const linked: string[] = [];
  let usedIn = body + ending;
  for (const { names, code } of definitions.toReversed()) {
    if (!names.some((name) => new RegExp(`\\b${name}\\b`).test(usedIn))) continue;
    linked.unshift(code);
    usedIn += `\n${code}`;
  }
  return [script.slice(0, firstLineEnd).trimEnd(), ...linked, 'local function script(ARGV)', body, ending].join('\n');
}

const ending = `end
local replies = {}
for index, order in ipairs(cjson.decode(ARGV[1])) do
  work_on(order[1])
  local succeeded, reply = pcall(script, order[2])
  replies[index] = succeeded and reply or type(reply) == 'table' and reply.err or tostring(reply)
end
return cjson.encode(replies)
`;

function namesIn(code: string): string[] {
  return [...code.matchAll(/^local (?:function )?(\w+)/gm)].map(([, name = '']) => name);
}

function withoutComments(code: string): string {
  return code
    .split('\n')
    .filter((line) => !/^\s*--/.test(line))
    .join('\n');
}
