/**
 * Counts the work that code does with a value instead of measuring time: members it reads, elements it visits, and
 * characters it searches. For tests of how work grows with its input, independent of the machine's load.
 */

/** How much work `run` was. An exception counts as its end. */
export function countSteps(run: (counted: <Value>(value: Value) => Value) => unknown): number {
  let steps = 0;
  const add = (count: number) => {
    steps += count;
  };
  const restore = watchBuiltIns(add);
  try {
    run((value) => watched(value, add));
  } catch {
    // Whether the value is refused early does not matter here.
  } finally {
    restore();
  }
  return steps;
}

type Add = (count: number) => void;

/** The value with every read of a member counted, however deep. */
function watched<Value>(value: Value, add: Add): Value {
  if (typeof value !== 'object' || value === null) return value;
  const known = new Map<PropertyKey, unknown>();
  return new Proxy(value, {
    get(target, name) {
      add(1);
      const member = Reflect.get(target, name);
      if (typeof member !== 'object' || member === null) return member;
      if (!known.has(name)) known.set(name, watched(member, add));
      return known.get(name);
    },
    has(target, name) {
      add(1);
      return Reflect.has(target, name);
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target);
      add(keys.length);
      return keys;
    },
    getOwnPropertyDescriptor(target, name) {
      add(1);
      const descriptor = Reflect.getOwnPropertyDescriptor(target, name);
      return descriptor;
    },
  });
}

/** Methods that visit elements one by one, until they have found one or to the end. */
const visiting = ['some', 'every', 'find', 'findIndex', 'filter', 'map', 'flatMap', 'forEach', 'reduce'] as const;
const copying = ['concat', 'slice', 'join', 'toSorted', 'sort', 'flat'] as const;
const searching = ['includes', 'indexOf'] as const;
const reading = ['replaceAll', 'replace', 'split', 'trim', 'toLowerCase', 'match', 'normalize'] as const;

function watchBuiltIns(add: Add): () => void {
  const undo: (() => void)[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: built-in methods of every kind are replaced here
  const replace = (owner: any, name: string, make: (original: any) => (this: any, ...rest: any[]) => unknown) => {
    const original = owner[name];
    owner[name] = make(original);
    undo.push(() => {
      owner[name] = original;
    });
  };
  for (const name of visiting) {
    replace(
      Array.prototype,
      name,
      (original) =>
        function (callback, ...rest) {
          return original.call(
            this,
            (...parameters: unknown[]) => {
              add(1);
              return callback(...parameters);
            },
            ...rest,
          );
        },
    );
  }
  for (const name of copying) {
    replace(
      Array.prototype,
      name,
      (original) =>
        function (...rest) {
          add(this.length);
          return original.apply(this, rest);
        },
    );
  }
  for (const owner of [Array.prototype, String.prototype]) {
    for (const name of searching) {
      replace(
        owner,
        name,
        (original) =>
          function (wanted, from = 0) {
            const found = original.call(this, wanted, from);
            const position = typeof found === 'number' ? found : found ? (String(this).length ?? 0) : -1;
            add(1 + (position < 0 ? Math.max(0, this.length - from) : Math.max(0, position - from)));
            return found;
          },
      );
    }
  }
  for (const name of reading) {
    replace(
      String.prototype,
      name,
      (original) =>
        function (...rest) {
          add(1 + this.length);
          return original.apply(this, rest);
        },
    );
  }
  // Replacing and splitting by a pattern calls `exec` for one match after another.
  replace(
    RegExp.prototype,
    'exec',
    (original) =>
      function (text) {
        const from = this.global || this.sticky ? this.lastIndex : 0;
        const match = original.call(this, text);
        const end = match === null ? String(text).length : match.index + match[0].length;
        add(1 + Math.max(0, end - from));
        return match;
      },
  );
  for (const name of ['keys', 'values', 'entries']) {
    replace(Object, name, (original) => (value) => {
      const members = original(value);
      add(1 + members.length);
      return members;
    });
  }
  return () => {
    for (const each of undo.reverse()) each();
  };
}
