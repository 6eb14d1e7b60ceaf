/**
 * What the NetworkPolicies of a namespace allow, evaluated as a cluster does: a connection needs a rule on both sides,
 * and a pod that no policy selects may connect to everything.
 */
import { BlockList, isIPv4 } from 'node:net';
import type { Manifest } from './rendered.ts';

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[];
}

interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { port?: number | string; endPort?: number; protocol?: string }[];
}

interface NetworkPolicy extends Manifest {
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly ('Ingress' | 'Egress')[];
    readonly ingress?: readonly Rule[];
    readonly egress?: readonly Rule[];
  };
}

export interface Place {
  readonly address: string;
  /** Absent for an address outside of the cluster. */
  readonly pod?: { readonly namespace: string; readonly labels: Readonly<Record<string, string>> };
}

export interface Port {
  readonly number: number;
  /** A port of the container that listens. */
  readonly name?: string;
}

export function isAllowed(manifests: readonly Manifest[], from: Place, to: Place, port: Port): boolean {
  const policies = manifests.filter((each): each is NetworkPolicy => each.kind === 'NetworkPolicy');
  return (
    isAllowedBy(policies, 'Egress', { own: from, other: to, port }) &&
    isAllowedBy(policies, 'Ingress', { own: to, other: from, port })
  );
}

function isAllowedBy(
  policies: readonly NetworkPolicy[],
  direction: 'Ingress' | 'Egress',
  { own, other, port }: { own: Place; other: Place; port: Port },
): boolean {
  const { pod } = own;
  if (pod === undefined) return true;
  const selecting = policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.namespace &&
      spec.policyTypes.includes(direction) &&
      selects(spec.podSelector, pod.labels),
  );
  if (selecting.length === 0) return true;
  const rules = selecting.flatMap(({ spec }) => (direction === 'Egress' ? spec.egress : spec.ingress) ?? []);
  return rules.some(({ from, to, ports }) => {
    const peers = direction === 'Egress' ? to : from;
    const isPeer = peers === undefined || peers.some((peer) => isOneOf(peer, other, pod.namespace));
    return isPeer && (ports === undefined || ports.some((allowed) => isPort(allowed, port)));
  });
}

function isOneOf(
  { podSelector, namespaceSelector, ipBlock }: Peer,
  { address, pod }: Place,
  namespace: string,
): boolean {
  if (ipBlock !== undefined) {
    const isExcepted = (ipBlock.except ?? []).some((cidr) => isWithin(cidr, address));
    return isWithin(ipBlock.cidr, address) && !isExcepted;
  }
  if (pod === undefined) return false;
  const isNamespace =
    namespaceSelector === undefined
      ? pod.namespace === namespace
      : selects(namespaceSelector, { 'kubernetes.io/metadata.name': pod.namespace });
  return isNamespace && (podSelector === undefined || selects(podSelector, pod.labels));
}

export function selects(
  { matchLabels = {}, matchExpressions = [] }: Selector,
  labels: Readonly<Record<string, string>>,
) {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`the operator ${operator} is not known here`);
      return values.includes(labels[key] ?? '');
    })
  );
}

function isPort(allowed: { port?: number | string; endPort?: number; protocol?: string }, port: Port): boolean {
  if ((allowed.protocol ?? 'TCP') !== 'TCP') return false;
  if (allowed.port === undefined) return true;
  if (typeof allowed.port === 'string') return allowed.port === port.name;
  return allowed.port <= port.number && port.number <= (allowed.endPort ?? allowed.port);
}

function isWithin(cidr: string, address: string): boolean {
  const [network = '', prefix] = cidr.split('/');
  const family = (text: string) => (isIPv4(text) ? 'ipv4' : 'ipv6');
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family(network));
  return family(network) === family(address) && list.check(address, family(address));
}
