/** The table of inference endpoints. */
import type { ModelKind } from '../../shared/catalogue/published-catalogue.ts';
import { messagesDialect } from '../dialects/messages/messages-dialect.ts';
import { responsesDialect } from '../dialects/responses/responses-dialect.ts';
import type { Endpoint } from '../relay.ts';
import { parseChatCompletion } from './chat-completions.ts';
import { parseCompletion } from './completions.ts';
import { parseEmbedding } from './embeddings.ts';
import { parseMessages } from './messages.ts';
import { parseResponses } from './responses.ts';

export const endpoints: Readonly<Record<string, Endpoint>> = {
  '/v1/chat/completions': { kind: 'chat', parse: parseChatCompletion },
  '/v1/completions': { kind: 'completion', parse: parseCompletion },
  '/v1/embeddings': { kind: 'embedding', parse: parseEmbedding },
  '/v1/messages': { kind: 'chat', parse: parseMessages, dialect: messagesDialect },
  '/v1/responses': { kind: 'chat', parse: parseResponses, dialect: responsesDialect },
};

/** Where a model of this kind is asked. */
export function endpointOf(kind: ModelKind): Endpoint | undefined {
  return Object.values(endpoints).find((endpoint) => endpoint.kind === kind);
}
