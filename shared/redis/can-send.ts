/** Whether Redis can be reached now, and which failed commands certainly had no effect. */
import { type Redis, ReplyError } from 'ioredis';
import { NotSentError, StrictCluster } from './strict-cluster.ts';

/**
 * True while there is a connection to the master. In a cluster one master is enough: the other shards' accounts can be
 * served while one is being replaced, and a program that reported itself as not ready would fail them all.
 */
export function canSend(client: Redis | StrictCluster): boolean {
  if (!(client instanceof StrictCluster)) return client.status === 'ready';
  return client.status === 'ready' && client.nodes('master').some(({ status }) => status === 'ready');
}

/** True while every known master is connected. */
export function canSendToAll(client: Redis | StrictCluster): boolean {
  if (!(client instanceof StrictCluster)) return client.status === 'ready';
  const masters = client.nodes('master');
  return client.status === 'ready' && masters.length > 0 && masters.every(({ status }) => status === 'ready');
}

/** A server that replies with one of these has refused the command before doing anything. */
const refusals =
  /^(CLUSTERDOWN|TRYAGAIN|MOVED|ASK|LOADING|READONLY|OOM|MASTERDOWN|NOREPLICAS|MISCONF|BUSY|NOAUTH|NOPERM)\b/;
/** ioredis has no error class for commands that were not written. */
const notWritten = /isn't (writeable|ready) and enableOfflineQueue options is false$/;

/** True if the failed command certainly had no effect and never will; false if its outcome is unknown. */
export function didNotRun(error: unknown): boolean {
  if (error instanceof NotSentError) return true;
  if (!(error instanceof Error)) return false;
  return error instanceof ReplyError ? refusals.test(error.message) : notWritten.test(error.message);
}
