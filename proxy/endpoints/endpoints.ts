/** The table of inference endpoints. */
import type { Endpoint } from '../relay.ts';
import { parseChatCompletion } from './chat-completions.ts';

export const endpoints: Readonly<Record<string, Endpoint>> = {
  '/v1/chat/completions': { kind: 'chat', parse: parseChatCompletion },
};
