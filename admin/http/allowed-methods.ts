/** The allowed methods of each path, to distinguish a wrong method from a wrong path. */
import type { AnyElysia } from 'elysia';

interface Route {
  readonly method: string;
  readonly pattern: RegExp;
}

export class AllowedMethods {
  readonly #application: () => AnyElysia;
  #routes: readonly Route[] | undefined;

  constructor(application: () => AnyElysia) {
    this.#application = application;
  }

  /** Empty if the path does not exist. */
  of(path: string): string[] {
    this.#routes ??= this.#application().routes.map(({ method, path }) => ({ method, pattern: patternOf(path) }));
    return this.#routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  }
}

/** `/api/keys/:id` → `^/api/keys/[^/]+$` */
function patternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : RegExp.escape(part)))
    .join('/');
  return new RegExp(`^${source}$`);
}
