/**
 * Loops over rows in the wallet's scripts. A script walks a list of rows with an ordinary loop, `for place, window in
 * ipairs(rate_windows)`, which is spelled out before the script is loaded: its body once for each row, with the row's members
 * as literals. A table of rows would make a reserve a fifth slower, because Redis creates it again on each run.
 */

/** Null is nil. */
export type LuaValue = string | number | null;
export type LuaRow = Readonly<Record<string, LuaValue>>;

export interface LuaLists {
  /** For `ipairs(name)`. */
  readonly rows: Readonly<Record<string, readonly LuaRow[]>>;
  /** For `unpack(name)`. */
  readonly values: Readonly<Record<string, readonly LuaValue[]>>;
}

/** A loop ends at the first `end` that is as far left as its `for`. Throws if it uses a member that a row does not have. */
export function unrollRows(code: string, { rows, values }: LuaLists): string {
  return code
    .replaceAll(/\bunpack\((\w+)\)/g, (call, name: string) => values[name]?.map(inLua).join(', ') ?? call)
    .replaceAll(loopOver(Object.keys(rows)), (_loop, indent: string, place: string, row: string, name: string, body) =>
      (rows[name] ?? [])
        .map((members, index) => {
          const filled = fill(body, { members, row, place, index: index + 1 });
          return `${indent}do\n${filled}${indent}end`;
        })
        .join('\n'),
    );
}

const loopOver = (names: readonly string[]) =>
  new RegExp(`^( *)for (\\w+), (\\w+) in ipairs\\((${names.join('|')})\\) do\\n([\\s\\S]*?)^\\1end$`, 'gm');

/** `row` and `place` are the names of the loop's variables. */
function fill(body: string, of: { members: LuaRow; row: string; place: string; index: number }): string {
  return body
    .replaceAll(new RegExp(`\\b${of.row}\\.(\\w+)`, 'g'), (_member, name: string) => {
      const value = of.members[name];
      if (value === undefined) throw new Error(`a wallet script reads ${of.row}.${name}, which its rows do not have`);
      return inLua(value);
    })
    .replaceAll(new RegExp(`\\b${of.place}\\b`, 'g'), String(of.index));
}

function inLua(value: LuaValue): string {
  if (value === null) return 'nil';
  return typeof value === 'string' ? `'${value}'` : String(value);
}
