/** The table of inference endpoints. */
import type { ModelKind } from '../../shared/catalogue/published-catalogue.ts';
import type { Endpoint } from '../relay.ts';
import { parseChatCompletion } from './chat-completions.ts';

export const endpoints: Readonly<Record<string, Endpoint>> = {
  '/v1/chat/completions': { kind: 'chat', parse: parseChatCompletion },
};

/** Where a model of this kind is asked. */
export function endpointOf(kind: ModelKind): Endpoint | undefined {
  return Object.values(endpoints).find((endpoint) => endpoint.kind === kind);
}
