/** The generation config: limits, sampling, response format and thinking. */
import { unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import { withoutNullish } from '../../../../shared/members.ts';
import type { JsonRecord } from '../../../nouns/json/record.ts';
import type { ChatRequest } from '../../../nouns/requests/chat-request.ts';
import { topKOf } from '../../../nouns/requests/sampling.ts';
import { toOpenApiSchema } from './openapi-schema.ts';
import { thinkingConfigOf } from './thinking-config.ts';

export interface GenerationOptions {
  /** From `responseFormatOf`. */
  readonly responseFormat: JsonRecord;
  readonly outputCap: number;
  readonly choices: number;
  readonly control: 'budget' | 'effort';
  /** The deployment's. */
  readonly model: string;
}

/** Throws GatewayError `unsupported_parameter` or `invalid_parameter`. */
export function generationConfigOf(
  body: ChatRequest,
  { responseFormat, outputCap, choices, control, model }: GenerationOptions,
): JsonRecord {
  checkSupported(body);
  return withoutNullish({
    maxOutputTokens: outputCap,
    candidateCount: choices,
    temperature: body.temperature,
    topP: body.top_p,
    topK: topKOf(body),
    stopSequences: stopSequencesOf(body.stop),
    seed: typeof body.seed === 'number' ? seedOf(body.seed) : undefined,
    // Models without penalties refuse even a penalty of 0.
    presencePenalty: body.presence_penalty || undefined,
    frequencyPenalty: body.frequency_penalty || undefined,
    responseLogprobs: body.logprobs || undefined,
    logprobs: body.logprobs ? body.top_logprobs : undefined,
    ...responseFormat,
    thinkingConfig: thinkingConfigOf(body, { outputCap, control, model }),
  });
}

function checkSupported(body: ChatRequest): void {
  const { modalities }: JsonRecord = body;
  const refused: Readonly<Record<string, boolean>> = {
    logit_bias: Object.keys(body.logit_bias ?? {}).length > 0,
    modalities: Array.isArray(modalities) && modalities.some((modality) => modality !== 'text'),
    functions: hasValue(body, 'functions'),
    web_search_options: hasValue(body, 'web_search_options'),
  };
  for (const [param, isRefused] of Object.entries(refused)) {
    if (isRefused) throw unsupportedParameter(param);
  }
}

function hasValue(body: JsonRecord, name: string): boolean {
  return body[name] !== undefined && body[name] !== null;
}

function stopSequencesOf(stop: ChatRequest['stop']): readonly string[] | undefined {
  const sequences = [stop ?? []].flat().filter((sequence) => sequence !== '');
  return sequences.length === 0 ? undefined : sequences;
}

/** The API's seed has 32 bits. A larger seed is truncated, so that the same seed always gives the same value. */
function seedOf(seed: number): number {
  return seed | 0;
}

/** Throws GatewayError `unsupported_parameter`. */
export function responseFormatOf(format: ChatRequest['response_format']): JsonRecord {
  switch (format?.type) {
    case undefined:
    case 'text':
      return {};
    case 'json_object':
      return { responseMimeType: 'application/json' };
    case 'json_schema': {
      const schema = format?.json_schema?.schema;
      const responseSchema = schema ? toOpenApiSchema(schema) : undefined;
      return withoutNullish({ responseMimeType: 'application/json', responseSchema });
    }
    default:
      throw unsupportedParameter('response_format.type');
  }
}
