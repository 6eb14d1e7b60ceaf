/** A wrapper of an object, during whose methods the program may be killed. */

export const killed = new Error('the admin was killed');

/** The same, but each of these methods may be the last thing that happens: it throws before or after its effect. */
export function mortal<Target extends object>(
  target: Target,
  methods: readonly (keyof Target & string)[],
  isKilled: () => boolean,
): Target {
  return new Proxy(target, {
    get: (_, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (!methods.some((method) => method === name)) return member.bind(target);
      return async (...given: unknown[]) => {
        if (isKilled()) throw killed;
        const result: unknown = await member.apply(target, given);
        if (isKilled()) throw killed;
        return result;
      };
    },
  });
}
