/** Sets up the stage: pins everything, starts the upstream, the load generator and the gateway's stores. */
import { freePort } from '../../local/servers/ports.ts';
import { bareBun } from '../contenders/bare-bun/contender.ts';
import type { Contender } from '../contenders/contender.ts';
import { direct, upstreamEntry } from '../contenders/direct.ts';
import { gatewayOn } from '../contenders/gateway.ts';
import { type GatewayStores, startGatewayStores } from '../contenders/gateway-stores.ts';
import { nginx, whyNoNginx } from '../contenders/nginx.ts';
import { ensurePortkey, portkey } from '../contenders/portkey.ts';
import { untilListening } from '../contenders/server-process.ts';
import { LoadGenerator } from '../load/load-generator.ts';
import { otherCores, pin, whyNotPinned } from '../measure/pin.ts';
import type { Stage } from './stage.ts';

export interface StageOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly quick: boolean;
  /** Only the upstream, bare Bun and the gateway. */
  readonly essential: boolean;
}

export interface SetStage {
  readonly stage: Stage;
  /** Contenders left out, and other limitations of the run. */
  readonly notices: readonly string[];
  stop(): Promise<void>;
}

export async function setStage(options: StageOptions): Promise<SetStage> {
  const notPinned = whyNotPinned();
  pin(process.pid, otherCores);
  const upstreamPort = await freePort();
  const upstream = Bun.spawn([process.execPath, upstreamEntry, String(upstreamPort)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const load = new LoadGenerator();
  let stores: GatewayStores | undefined;
  const stop = async () => {
    await load.stop();
    await stores?.stop();
    upstream.kill();
  };
  try {
    await untilListening(upstreamPort);
    stores = await startGatewayStores(upstreamPort);
    const { contenders, notices } = await findContenders(stores, options);
    if (notPinned !== undefined) notices.push(`Nothing is pinned to a core: ${notPinned}.`);
    const { rounds, seconds, quick } = options;
    const say = (text: string) => console.error(text);
    const stage = { contenders, upstreamPort, upstreamPid: upstream.pid, load, stores, rounds, seconds, quick, say };
    return { stage, notices, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function findContenders(stores: GatewayStores, { essential }: StageOptions) {
  const notices: string[] = [];
  const contenders: Contender[] = [direct];
  if (!essential) {
    if (whyNoNginx === undefined) contenders.push(nginx);
    else notices.push(`nginx does not take part: ${whyNoNginx}.`);
  }
  contenders.push(bareBun);
  if (!essential) {
    const whyNoPortkey = await ensurePortkey();
    if (whyNoPortkey === undefined) contenders.push(portkey);
    else notices.push(`Portkey does not take part: ${whyNoPortkey}.`);
  }
  contenders.push(gatewayOn(stores));
  return { contenders, notices };
}
