/** What a part of the proxy needs to send batches to a scripted provider, without a proxy. */
import pino from 'pino';
import type { LinesAtProviderOptions } from '../../../proxy/batches/at-provider/lines-at-provider.ts';
import type { Deployment } from '../../../proxy/pricing/catalogue.ts';
import type { BatchForm, BatchProvider } from './batch-provider.ts';

export const batchDeployment = ({ baseUrl }: BatchProvider, form: BatchForm) =>
  ({
    ...{ name: 'scripted/upstream', model: 'upstream', batches: true },
    provider: { id: 'scripted', protocol: form, baseUrl, quirks: {} },
  }) as Deployment;

/** Their catalogue has this deployment alone. */
export const batchServicesOf = (deployment: Deployment) =>
  ({
    log: pino({ enabled: false }),
    catalogue: { current: () => ({ models: new Map([['test/chat', { deployments: [deployment] }]]) }) },
    credentials: { accessTo: async () => ({ apiKey: 'sk-scripted', ca: undefined }) },
  }) as unknown as LinesAtProviderOptions['services'];
