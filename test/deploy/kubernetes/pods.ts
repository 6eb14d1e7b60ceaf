/** The pods that the manifests describe, with what their containers see. */
import type { Manifest } from './rendered.ts';

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string };
  readonly periodSeconds?: number;
  readonly failureThreshold?: number;
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext?: unknown;
  readonly resources?: { readonly limits?: Readonly<Record<string, string>> };
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface SecretSource {
  readonly items?: readonly { readonly key: string; readonly path: string }[];
}

interface Volume {
  readonly name: string;
  readonly secret?: SecretSource & { readonly secretName: string };
  readonly projected?: { readonly sources: readonly { readonly secret: SecretSource & { readonly name: string } }[] };
}

export interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly enableServiceLinks?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext?: unknown;
  readonly topologySpreadConstraints?: readonly { readonly topologyKey: string; readonly whenUnsatisfiable: string }[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
}

export interface Workload extends Manifest {
  readonly spec: {
    readonly replicas?: number;
    readonly strategy?: unknown;
    readonly selector?: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: PodSpec;
    };
  };
}

/** Deployments, StatefulSets and Jobs. */
export function workloadsIn(manifests: readonly Manifest[]): readonly Workload[] {
  return manifests.filter((each): each is Workload => ['Deployment', 'StatefulSet', 'Job'].includes(each.kind));
}

export function workloadNamed(manifests: readonly Manifest[], name: string): Workload {
  const found = workloadsIn(manifests).find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

export function containerOf({ metadata, spec }: Workload): Container {
  const [container, ...others] = spec.template.spec.containers;
  if (container === undefined || others.length > 0) throw new Error(`${metadata.name} has not exactly one container`);
  return container;
}

/** The variables of its container. */
export function variablesOf(manifests: readonly Manifest[], workload: Workload): Readonly<Record<string, string>> {
  const { env = [], envFrom = [] } = containerOf(workload);
  const maps = envFrom.map(({ configMapRef }) => {
    const map = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name);
    if (map === undefined) throw new Error(`there is no ConfigMap ${configMapRef.name}`);
    return map.data ?? {};
  });
  return Object.assign({}, ...maps, Object.fromEntries(env.map(({ name, value }) => [name, value])));
}

export interface SecretFile {
  readonly path: string;
  readonly secret: string;
  readonly key: string;
}

/** The source of a secret that a path names; undefined if it is in none. */
export function secretFileAt({ spec }: Workload, path: string): readonly SecretFile[] {
  const { containers, volumes = [] } = spec.template.spec;
  const mount = containers[0]?.volumeMounts.find(({ mountPath }) => path.startsWith(`${mountPath}/`));
  const volume = volumes.find(({ name }) => name === mount?.name);
  const file = path.slice((mount?.mountPath.length ?? 0) + 1);
  const sources = [
    ...(volume?.secret === undefined ? [] : [{ ...volume.secret, name: volume.secret.secretName }]),
    ...(volume?.projected?.sources ?? []).map(({ secret }) => secret),
  ];
  return sources.flatMap(({ name, items }) => {
    const key = items === undefined ? file : items.find((item) => item.path === file)?.key;
    return key === undefined ? [] : [{ path, secret: name, key }];
  });
}
