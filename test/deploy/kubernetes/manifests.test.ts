/**
 * The manifests for Kubernetes are valid, locked down, and in agreement with the programs, the metrics and the
 * documentation.
 */
import { describe, expect, test } from 'bun:test';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'bun';
import { EnvironmentReader } from '../../../shared/config/environment.ts';
import { memoryBesidesBodies } from '../../../shared/config/proxy.ts';
import { killAfterMs, readShutdownBudget } from '../../../shared/config/shutdown.ts';
import { documentedMetrics } from '../known-metrics.ts';
import { isReadBy } from '../known-variables.ts';
import { selects } from './network.ts';
import { containerOf, secretFileAt, variablesOf, type Workload, workloadNamed, workloadsIn } from './pods.ts';
import { canRender, type Manifest, overlays, render, renderOverlay, root } from './rendered.ts';
import { problemsOf } from './valid.ts';

interface Selecting extends Manifest {
  readonly spec: {
    readonly selector?: { readonly matchLabels?: Record<string, string> } & Record<string, unknown>;
    readonly podSelector?: { readonly matchLabels?: Record<string, string> };
    readonly ports?: readonly { readonly targetPort?: string; readonly name: string }[];
  };
}

const rendered = new Map<string, readonly Manifest[]>();
if (canRender) for (const overlay of overlays) rendered.set(overlay, await renderOverlay(overlay));
const folder = join(root, 'deploy/kubernetes');
const deployText = await Bun.file(join(root, 'docs/deploy.md')).text();

const programs = [
  ['gateway-proxy', 'proxy', 8080],
  ['gateway-admin', 'admin', 8081],
] as const;

describe.skipIf(!canRender).each(overlays)('the overlay %s', (overlay) => {
  const manifests = rendered.get(overlay) ?? [];
  const workloads = workloadsIn(manifests);

  test('has manifests in the form that their API versions define, without unknown fields', async () => {
    expect(manifests.length).toBeGreaterThan(15);
    expect((await Promise.all(manifests.map(problemsOf))).flat()).toEqual([]);
  });

  test('has everything in the namespace of the gateway, under unique names', () => {
    const placed = manifests.filter(({ kind }) => kind !== 'Namespace');
    expect(placed.filter(({ metadata }) => metadata.namespace !== 'gateway')).toEqual([]);
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test('has no pod that runs as root, writes to its image, or has rights in the cluster', () => {
    for (const { metadata, spec } of workloads) {
      const { containers, ...pod } = spec.template.spec;
      expect([metadata.name, pod]).toMatchObject([
        metadata.name,
        {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        },
      ]);
      for (const { securityContext, resources } of containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(resources?.limits?.memory).toMatch(/^\d+[MG]i$/);
      }
    }
  });

  test.each(programs)('does not kill %s before its shutdown budget is over', (name) => {
    const workload = workloadNamed(manifests, name);
    const budget = readShutdownBudget(new EnvironmentReader(variablesOf(manifests, workload)));
    const preStopMs = (containerOf(workload).lifecycle?.preStop.sleep.seconds ?? 0) * 1_000;
    const graceMs = (workload.spec.template.spec.terminationGracePeriodSeconds ?? 30) * 1_000;
    expect(preStopMs).toBeGreaterThan(0);
    expect(graceMs).toBeGreaterThan(preStopMs + killAfterMs(budget));
  });

  test('gives a proxy the memory for the bodies that it accepts, and for everything else', () => {
    const workload = workloadNamed(manifests, 'gateway-proxy');
    const gibibytes = Number(/^(\d+)Gi$/.exec(containerOf(workload).resources?.limits?.memory ?? '')?.[1]);
    const { MAX_BODIES_BYTES = '' } = variablesOf(manifests, workload);
    expect(Number(MAX_BODIES_BYTES)).toBeGreaterThan(0);
    expect(gibibytes * 1024 ** 3).toBeGreaterThanOrEqual(Number(MAX_BODIES_BYTES) + memoryBesidesBodies);
  });

  test.each(programs)('replaces %s without a gap, and probes the port on which it listens', (name, _, port) => {
    const workload = workloadNamed(manifests, name);
    const { startupProbe, readinessProbe, livenessProbe, ports } = containerOf(workload);
    expect(workload.spec.strategy).toEqual({ rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
    expect(ports).toEqual([{ name: 'http', containerPort: port }]);
    const paths = [startupProbe, readinessProbe, livenessProbe].map((probe) => probe?.httpGet);
    expect(paths).toEqual(['/healthz', '/readyz', '/healthz'].map((path) => ({ path, port: 'http' })));
  });

  test.each([...programs, ['gateway-migrate', 'admin', 0] as const])(
    'gives %s only variables that it reads',
    (name, program) => {
      const variables = Object.keys(variablesOf(manifests, workloadNamed(manifests, name)));
      expect(variables.length).toBeGreaterThan(0);
      expect(variables.filter((variable) => !isReadBy(program, variable))).toEqual([]);
    },
  );

  test('has every secret as a file, and the documentation says how to create it', () => {
    const made = new Map(
      [...deployText.matchAll(/create secret generic (\S+)((?:[^\n]*\\\n)*[^\n]*)/g)].map(
        ([, name = '', rest = '']) => [
          name,
          [...rest.matchAll(/--from-(?:literal|file)=([\w.-]+)=/g)].map(([, key = '']) => key),
        ],
      ),
    );
    const used = workloads.flatMap((workload) => {
      const { args = [] } = containerOf(workload);
      const values = [...Object.values(variablesOf(manifests, workload)), ...args];
      return values.filter((value) => value.startsWith('/run/secrets/')).map((path) => secretFileAt(workload, path));
    });
    expect(used.length).toBeGreaterThan(5);
    for (const sources of used) {
      expect(sources.some(({ secret, key }) => made.get(secret)?.includes(key))).toBe(true);
    }
  });

  test('gives the proxy neither the address of Postgres nor a secret of admin', () => {
    const proxy = JSON.stringify(workloadNamed(manifests, 'gateway-proxy'));
    expect(proxy).not.toMatch(/database|jwt|gateway-admin/i);
  });

  test('has pods for every selector', () => {
    const labels = workloads.map(({ spec }) => spec.template.metadata.labels);
    const selecting = manifests.filter((each): each is Selecting =>
      ['Service', 'PodDisruptionBudget', 'NetworkPolicy', 'Deployment', 'StatefulSet'].includes(each.kind),
    );
    const lost = selecting.filter(({ kind, spec }) => {
      const selector =
        kind === 'Service'
          ? { matchLabels: spec.selector as Record<string, string> }
          : (spec.podSelector ?? spec.selector ?? {});
      return !labels.some((each) => selects(selector, each));
    });
    expect(selecting.length).toBeGreaterThan(6);
    expect(lost.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
  });

  test('has Services that lead to ports of their pods', () => {
    const services = manifests.filter((each): each is Selecting => each.kind === 'Service');
    for (const { spec } of services) {
      const { matchLabels } = { matchLabels: spec.selector as Record<string, string> };
      const workload = workloads.find(({ spec: { template } }) => selects({ matchLabels }, template.metadata.labels));
      const ports = containerOf(workload as Workload).ports?.map(({ name }) => name) ?? [];
      expect((spec.ports ?? []).map(({ targetPort, name }) => targetPort ?? name)).toEqual(ports);
    }
  });

  test('has an Ingress with TLS for its host that sends /v1 to the proxies, everything else to admin', () => {
    const ingress = manifests.find(({ kind }) => kind === 'Ingress') as unknown as {
      spec: { tls: { hosts: string[] }[]; rules: { host: string; http: { paths: unknown[] } }[] };
    };
    const to = (name: string) => ({ service: { name, port: { name: 'http' } } });
    const [rule, ...others] = ingress.spec.rules;
    expect(others).toEqual([]);
    expect(ingress.spec.tls[0]?.hosts).toEqual([rule?.host ?? '']);
    expect(rule?.http.paths).toEqual([
      { path: '/v1', pathType: 'Prefix', backend: to('gateway-proxy') },
      { path: '/', pathType: 'Prefix', backend: to('gateway-admin') },
    ]);
    const { PUBLIC_URL } = variablesOf(manifests, workloadNamed(manifests, 'gateway-admin'));
    expect(PUBLIC_URL).toBe(`https://${rule?.host}`);
  });
});

test('a manifest with an unknown field, a wrong type or a missing field is not valid', async () => {
  const policy = (spec: object) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'x' },
    spec,
  });
  const port = { ports: [{ port: 443 }] };
  expect(await problemsOf(policy({ podSelector: {}, egress: [port] }))).toEqual([]);
  expect(await problemsOf(policy({ podSelector: {}, egres: [port] }))).toEqual([
    ...['', '/0', '/0/ports', '/0/ports/0', '/0/ports/0/port'].map(
      (path) => `NetworkPolicy x: /spec/egres${path} does not exist`,
    ),
  ]);
  expect(await problemsOf(policy({ podSelector: 'all' }))).toEqual([
    'NetworkPolicy x: /spec/podSelector is no valid type',
  ]);
  expect(
    await problemsOf({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'x' },
      spec: { minAvailable: [] },
    } as never),
  ).not.toEqual([]);
});

describe.skipIf(!canRender)('the overlay for several zones', () => {
  const manifests = rendered.get('several-zones') ?? [];

  test.each(programs)('spreads %s over zones and machines, and keeps all pods but one', (name) => {
    const { topologySpreadConstraints = [] } = workloadNamed(manifests, name).spec.template.spec;
    expect(topologySpreadConstraints).toMatchObject([
      { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
      { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
    ]);
    const budget = manifests.find(({ kind, metadata }) => kind === 'PodDisruptionBudget' && metadata.name === name);
    expect(budget).toMatchObject({ spec: { maxUnavailable: 1 } });
  });

  test('leaves the number of proxies to the autoscaler, which uses a metric that they have', async () => {
    const scaler = manifests.find(({ kind }) => kind === 'HorizontalPodAutoscaler') as unknown as {
      spec: { minReplicas: number; metrics: { type: string; pods?: { metric: { name: string } } }[] };
    };
    expect(workloadNamed(manifests, 'gateway-proxy').spec.replicas).toBeUndefined();
    expect(scaler.spec.minReplicas).toBeGreaterThanOrEqual(3);
    const metric = scaler.spec.metrics.find(({ type }) => type === 'Pods')?.pods?.metric.name ?? '';
    const ofProxy = (await documentedMetrics()).get('The proxy') ?? [];
    expect(ofProxy.find(({ name }) => name === metric)).toMatchObject({ type: 'gauge', labels: [] });
    expect(await Bun.file(join(folder, 'prometheus/adapter.yaml')).text()).toContain(`seriesQuery: ${metric}{`);
  });
});

describe.skipIf(!canRender)('the overlay in the documentation', () => {
  test('changes the images and every address', async () => {
    const [, text = ''] = /^```yaml\n# production\/kustomization\.yaml\n([\s\S]*?)^```$/m.exec(deployText) ?? [];
    const work = await mkdtemp(join(tmpdir(), 'gateway-overlay-'));
    try {
      await cp(folder, join(work, 'deploy/kubernetes'), { recursive: true });
      await Bun.write(join(work, 'production/kustomization.yaml'), text);
      const manifests = await render(join(work, 'production'));
      expect((await Promise.all(manifests.map(problemsOf))).flat()).toEqual([]);
      expect(JSON.stringify(manifests)).not.toContain('gateway.example.com');
      const images = workloadsIn(manifests).map((workload) => containerOf(workload).image);
      expect(
        images.filter((image) => !/^(?:registry\.example\.com|docker\.io\/library)\/[\w-]+:[\d.]+$/.test(image)),
      ).toEqual([]);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
});

const promtool = Bun.which('promtool');
if (promtool === null)
  console.info('skipped the check of prometheus.yaml: no promtool found. Run `apt-get install prometheus`.');

test.skipIf(promtool === null)(
  'Prometheus accepts its configuration, and its jobs are those of the rules',
  async () => {
    const text = await Bun.file(join(folder, 'prometheus/prometheus.yaml')).text();
    const work = await mkdtemp(join(tmpdir(), 'gateway-prometheus-'));
    try {
      const file = join(work, 'prometheus.yaml');
      // Debian's promtool is built without the discovery of pods.
      await Bun.write(file, text.replace(/ {4}kubernetes_sd_configs:\n(?: {6}.*\n)+/, '    static_configs: []\n'));
      const { exitCode, stderr } = await $`${promtool} check config --syntax-only ${file}`.nothrow().quiet();
      expect([exitCode, stderr.toString()]).toEqual([0, '']);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    const rules = await Bun.file(join(root, 'deploy/prometheus/rules.yaml')).text();
    const jobs = [...new Set([...rules.matchAll(/job="([\w-]+)"/g)].map(([, job]) => job))].sort();
    expect(jobs).toEqual(['gateway-admin', 'gateway-proxy']);
    expect(text).toContain('regex: (proxy|admin);http');
    expect(text).toContain('replacement: gateway-$1');
  },
);
