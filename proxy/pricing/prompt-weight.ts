/**
 * Estimates the prompt tokens of a request whose provider does not report them: the messages, and everything else in
 * the body that reaches the model. It runs when a request ends without usage, so it may take some time, but no more for
 * a body of 20 MB than for one of 1 MB: long prompts are sampled.
 */
import { type PublishedProvider, tokenScripts } from '../../shared/catalogue/published-catalogue.ts';
import { isObject } from '../../shared/members.ts';
import type { Call } from '../nouns/call.ts';
import { asArray, asRecord, type JsonRecord } from '../nouns/json/record.ts';
import { addTo, type ByScript, countTexts } from './text-scale.ts';

/** Uncalibrated tokens, by kinds that tokenizers and templates treat differently. */
export interface PromptWeight {
  readonly text: ByScript;
  /** Names, short values and the syntax of tools and formats, which each provider writes differently. */
  readonly structure: number;
  /** Known exactly: chat templates, token ids. */
  readonly certain: number;
  readonly mediaParts: number;
}

/** Takes a few milliseconds. */
const countedCharactersMax = 256 * 1024;
/** Texts that vary from one page to the next are met evenly. */
const windowCharacters = 256;
/** A longer string counts as text, wherever it is. */
const structureCharactersMax = 48;
/** What a chat template adds to each message, and to the start of the response. */
const messageTokens = 3;
const toolCallTokens = 4;
/** Quotes, colons and commas around a name or a short value. */
const syntaxTokens = 1;

/** Body members that the model does not read. */
const parameters: ReadonlySet<string> = new Set([
  ...['model', 'stream', 'stream_options', 'n', 'best_of', 'max_tokens', 'max_completion_tokens', 'stop', 'seed'],
  ...['temperature', 'top_p', 'top_k', 'min_p', 'frequency_penalty', 'presence_penalty', 'repetition_penalty'],
  ...['logit_bias', 'logprobs', 'top_logprobs', 'user', 'metadata', 'store', 'service_tier', 'safety_identifier'],
  ...['prompt_cache_key', 'prompt_cache_retention', 'parallel_tool_calls', 'tool_choice', 'function_call'],
  ...['reasoning_effort', 'reasoning', 'thinking', 'verbosity', 'modalities', 'audio', 'response_format'],
  ...['models', 'provider', 'route'],
]);
/** Message members that the model does not read, or that are weighed separately. */
const envelope: ReadonlySet<string> = new Set([
  ...['role', 'content', 'tool_calls', 'tool_call_id', 'reasoning_content', 'thinking_blocks', 'cache_control'],
  'extra_content',
]);

export function weighPrompt(call: Call, to: PublishedProvider): PromptWeight {
  const { body, promptTexts, mediaParts } = call;
  const texts: string[] = [];
  const structure: string[] = [];
  const reader = new BodyReader(texts, structure);
  let certain = 'promptTokenIds' in call ? call.promptTokenIds : 0;
  if (Array.isArray(body.messages)) certain += reader.chat(body, to);
  else {
    texts.push(...promptTexts);
    if (typeof body.suffix === 'string') texts.push(body.suffix);
    // The query is read with each document.
    if (call.kind === 'rerank') texts.push(...Array<string>(call.documents - 1).fill(promptTexts[0] ?? ''));
  }
  const short = countSampled(structure);
  return {
    text: countSampled(texts),
    structure: short.reduce((sum, tokens) => sum + tokens, structure.length * syntaxTokens),
    certain,
    mediaParts,
  };
}

/** Collects what the model reads. */
class BodyReader {
  readonly #texts: string[];
  readonly #structure: string[];

  constructor(texts: string[], structure: string[]) {
    this.#texts = texts;
    this.#structure = structure;
  }

  /** Returns the tokens that are known without weighing. */
  chat(body: JsonRecord, { protocol, quirks }: PublishedProvider): number {
    const messages = asArray(body.messages);
    let certain = messageTokens * (messages.length + 1);
    // Bodies of other protocols are built from known members only.
    const passesOn = protocol === 'openai';
    const readsThoughts = passesOn && quirks.reasoningContent !== 'never';
    for (const message of messages) {
      if (isObject(message)) certain += this.#message(message, { protocol, passesOn, readsThoughts });
    }
    this.#value(asRecord(body.response_format).json_schema);
    if (!passesOn) this.#value(body.tools);
    else {
      for (const name of Object.keys(body)) {
        if (name === 'messages' || parameters.has(name) || quirks.dropParameters?.includes(name)) continue;
        this.#value(body[name]);
      }
    }
    return certain;
  }

  #message(
    message: JsonRecord,
    { protocol, passesOn, readsThoughts }: { protocol: string; passesOn: boolean; readsThoughts: boolean },
  ): number {
    const { content, reasoning_content: thoughts } = message;
    this.#text(content);
    for (const part of asArray(content)) {
      const { text, refusal } = asRecord(part);
      this.#text(text ?? refusal);
    }
    if (readsThoughts) this.#text(thoughts);
    if (protocol === 'anthropic' || protocol === 'bedrock') {
      for (const block of asArray(message.thinking_blocks)) this.#text(asRecord(block).thinking);
    }
    const calls = asArray(message.tool_calls);
    for (const call of calls) {
      const { function: named, custom } = asRecord(call);
      const { name, arguments: input = asRecord(custom).input } = asRecord(named);
      this.#text(name);
      this.#text(input);
    }
    if (passesOn) {
      for (const name of Object.keys(message)) if (!envelope.has(name)) this.#value(message[name]);
    }
    return calls.length * toolCallTokens;
  }

  #text(value: unknown): void {
    if (typeof value === 'string' && value !== '') this.#texts.push(value);
  }

  /** The depth of a body is limited before it is parsed. */
  #value(value: unknown): void {
    if (typeof value === 'string') {
      if (value.length > structureCharactersMax) this.#texts.push(value);
      else this.#structure.push(value);
    } else if (Array.isArray(value)) {
      for (const item of value) this.#value(item);
    } else if (isObject(value)) {
      for (const name of Object.keys(value)) {
        if (name === 'cache_control') continue;
        this.#value(name);
        this.#value(value[name]);
      }
    } else if (value !== undefined && value !== null) this.#structure.push(String(value));
  }
}

/** Each window starts at a random position in its stride, so that a client cannot prepare text for it. */
function countSampled(texts: readonly string[]): ByScript {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (characters <= countedCharactersMax) return countTexts(texts);
  const strideCharacters = Math.ceil((characters / countedCharactersMax) * windowCharacters);
  const counts = new Float64Array(tokenScripts.length);
  let counted = 0;
  let next = randomBelow(strideCharacters - windowCharacters);
  let stride = 0;
  let begin = 0;
  for (const text of texts) {
    for (; next < begin + text.length; next = stride + randomBelow(strideCharacters - windowCharacters)) {
      const window = text.slice(next - begin, next - begin + windowCharacters);
      addTo(counts, countTexts([window]));
      counted += window.length;
      stride += strideCharacters;
    }
    begin += text.length;
  }
  return counts.map((tokens) => (tokens * characters) / Math.max(1, counted));
}

function randomBelow(end: number): number {
  return Math.floor(Math.random() * end);
}
