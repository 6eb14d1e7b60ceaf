/**
 * A Redis Cluster client that never resends a command that may have run, nor one whose caller was told that it failed.
 *
 * ioredis' own Cluster resends a command 100 ms after its connection closed, even if only the reply was lost (measured:
 * the script ran twice), and keeps commands that wait for CLUSTERDOWN or TRYAGAIN to pass beyond their timeout. Here
 * only MOVED and ASK are followed: with them a node says that it did nothing, and which node will. Every other error
 * goes to the caller immediately. Nothing is written to a node that is not connected, not even into a queue; while one is
 * missing, the client asks the others for the cluster's current layout until it is complete again. Each new connection
 * is announced with the event `node ready`.
 */
import { Cluster, type Redis } from 'ioredis';

type Construction = ConstructorParameters<typeof Cluster<'legacy'>>;
type SendArguments = Parameters<Cluster['sendCommand']>;
type ErrorArguments = Parameters<Cluster['handleError']>;

/** The command has not left this process. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
}

/**
 * The delay after the loss of a connection before the layout is refreshed; each consecutive failure adds as much again.
 */
const refreshDelayMs = 100;
const refreshDelayMaxMs = 1_000;

export class StrictCluster extends Cluster {
  readonly #connections = new Map<string, Redis>();
  #refreshTimer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;

  constructor(...construction: Construction) {
    super(...construction);
    this.on('+node', (node: Redis) => {
      this.#connections.set(nameOf(node), node);
      ignoreAskingFailure(node);
      node.on('ready', () => {
        this.#failures = 0;
        this.emit('node ready', node);
      });
    });
    this.on('-node', (node: Redis) => {
      if (this.#connections.get(nameOf(node)) === node) this.#connections.delete(nameOf(node));
      this.#refreshSoon();
    });
  }

  /** The connection to the master of the slot; undefined while there is none. */
  connectionOf(slot: number): Redis | undefined {
    const node = this.#connections.get(this.slots[slot]?.[0] ?? '');
    return node?.status === 'ready' ? node : undefined;
  }

  override sendCommand(...parameters: SendArguments): unknown {
    const [command] = parameters;
    const slot: number | null = command.getSlot();
    if (this.status === 'ready' && slot !== null && this.connectionOf(slot) === undefined) {
      command.reject(new NotSentError(`no connection to the master of slot ${slot}`));
      return command.promise;
    }
    const reply = super.sendCommand(...parameters);
    // A redirection may arrive after the timeout.
    const follow = command.reject;
    command.reject = (error) => {
      if (!command.isSettled) follow(error);
    };
    return reply;
  }

  override handleError(...[error, timesLeft, handlers]: ErrorArguments): void {
    const target = /^(?:MOVED|ASK) \d+ (\S+)$/.exec(error.message)?.[1];
    if (target !== undefined && this.#connections.get(target)?.status === 'ready') {
      super.handleError(error, timesLeft, handlers);
      return;
    }
    // A node that the client does not know yet, but will in a moment.
    if (target !== undefined) this.#refreshSoon();
    handlers.defaults();
  }

  #refreshSoon(): void {
    if (this.#refreshTimer !== undefined) return;
    this.#failures += 1;
    const delayMs = Math.min(this.#failures * refreshDelayMs, refreshDelayMaxMs);
    this.#refreshTimer = setTimeout(() => {
      this.#refreshTimer = undefined;
      if (this.status !== 'ready') return;
      this.refreshSlotsCache((error) => {
        if (error) this.#refreshSoon();
      });
    }, delayMs);
  }
}

/**
 * Following ASK, ioredis sends ASKING and ignores its reply. If the connection closed at that moment, this was an
 * unhandled rejection, which ends a program.
 */
function ignoreAskingFailure(node: Redis): void {
  const asking = node.asking.bind(node);
  node.asking = (...parameters) => {
    const reply = asking(...parameters);
    reply.catch(() => {});
    return reply;
  };
}

function nameOf({ options }: Redis): string {
  return `${options.host}:${options.port}`;
}
