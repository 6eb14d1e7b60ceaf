/** Whether a manifest has the form that its API version defines: the official schemas, as npm has them. */
import { join } from 'node:path';
import { type Manifest, root } from './rendered.ts';

const schemas = join(root, 'node_modules/kubernetes-models/_schemas');

interface Validate {
  (data: unknown): boolean;
  errors?: readonly { readonly instancePath: string; readonly message?: string; readonly keyword: string }[] | null;
}

/** What is wrong with it; empty if nothing is. */
export async function problemsOf(manifest: Manifest): Promise<readonly string[]> {
  const { apiVersion, kind, metadata } = manifest;
  const [version = '', group = 'core'] = apiVersion.split('/').reverse();
  const name = `IoK8sApi${capital(group.split('.')[0] ?? '')}${capital(version)}${kind}`;
  const { validate } = (await import(join(schemas, `${name}.mjs`))) as { validate: Validate };
  const looked = new Set<string>();
  validate(watch(manifest, '', looked));
  const malformed = (validate.errors ?? []).map(
    ({ instancePath, keyword }) => `${instancePath} is no valid ${keyword}`,
  );
  const unknown = pathsIn(manifest, '')
    .filter((path) => !looked.has(path))
    .map((path) => `${path} does not exist`);
  return [...malformed, ...unknown].map((problem) => `${kind} ${metadata.name}: ${problem}`);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/**
 * The schemas let unknown fields pass, as the API server does not. A field that a validator never evaluates is not in
 * its schema, so this records the paths of those that it does.
 */
function watch<Value>(value: Value, path: string, looked: Set<string>): Value {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get: (target, key) => {
      const found: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol' || !Object.hasOwn(target, key)) return found;
      looked.add(`${path}/${key}`);
      return watch(found, `${path}/${key}`, looked);
    },
  });
}

function pathsIn(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [`${path}/${key}`, ...pathsIn(member, `${path}/${key}`)]);
}
