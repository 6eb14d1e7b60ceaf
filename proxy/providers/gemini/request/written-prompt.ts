/** The prompt as it is sent to Gemini. It is written once, for the size of the hold and for the request. */
import type { ChatCall } from '../../../nouns/call.ts';
import type { JsonRecord } from '../../../nouns/json/record.ts';
import type { Deployment } from '../../../pricing/catalogue.ts';
import { cacheTranslation } from '../../cached-translation.ts';
import { promptOf } from './contents.ts';
import { toolsOf } from './function-declarations.ts';
import { responseFormatOf } from './generation-config.ts';
import { isLongPart } from './media-part.ts';

export interface WrittenPrompt {
  /** A JSON object: contents, system instruction and tools. */
  readonly text: string;
  /** Members of the generation config. */
  readonly responseFormat: JsonRecord;
  readonly hasLongMedia: boolean;
}

export const writtenPrompts = cacheTranslation(write);

/** Throws GatewayError. */
function write({ body }: ChatCall, { model }: Deployment): WrittenPrompt {
  const { contents, systemInstruction } = promptOf(body.messages, model);
  const turns = systemInstruction === undefined ? contents : [...contents, systemInstruction];
  return {
    text: JSON.stringify({
      contents,
      ...(systemInstruction === undefined ? {} : { systemInstruction }),
      ...toolsOf(body),
    }),
    responseFormat: responseFormatOf(body.response_format),
    hasLongMedia: turns.some(({ parts }) => parts.some(isLongPart)),
  };
}
