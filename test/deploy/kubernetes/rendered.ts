/** The manifests of the overlays, as `kubectl apply --kustomize` sends them. */
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const root = join(import.meta.dir, '../../..');
const renderTimeoutMs = 120_000;

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

export const overlays = ['one-machine', 'several-zones'] as const;

/** kubectl 1.27 or newer, or kustomize; Debian 12's kubectl is too old. */
const renderer = findRenderer();
export const canRender = renderer !== undefined;
if (!canRender) console.info('skipped what renders manifests: neither kubectl 1.27 or newer nor kustomize was found.');

/** `folder` is that of a kustomization. */
export async function render(folder: string): Promise<readonly Manifest[]> {
  const child = Bun.spawn([...(renderer ?? []), folder], { stdout: 'pipe', stderr: 'pipe', timeout: renderTimeoutMs });
  const [text, problems] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${folder} cannot be rendered: ${problems}`);
  return parseAllDocuments(text, { schema: 'core' }).map((document) => document.toJS());
}

export function renderOverlay(name: (typeof overlays)[number]): Promise<readonly Manifest[]> {
  return render(join(root, 'deploy/kubernetes', name));
}

function findRenderer(): readonly string[] | undefined {
  if (Bun.which('kustomize') !== null) return ['kustomize', 'build'];
  const kubectl = Bun.which('kubectl');
  if (kubectl === null) return undefined;
  const text = Bun.spawnSync([kubectl, 'version', '--client'], { timeout: renderTimeoutMs }).stdout.toString();
  const major = Number(/Kustomize Version: v(\d+)/.exec(text)?.[1] ?? 0);
  return major >= 5 ? [kubectl, 'kustomize'] : undefined;
}
