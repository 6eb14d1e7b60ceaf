/** Reads and normalizes a whole response of an OpenAI-compatible provider, chat or text. */
import { isObject } from '../../../../shared/members.ts';
import type { ChatCall, CompletionCall } from '../../../nouns/call.ts';
import { patchBetween } from '../../../nouns/json/patch-between.ts';
import { patchObject } from '../../../nouns/json/patch-object.ts';
import { asArray, asRecord, type JsonRecord } from '../../../nouns/json/record.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import type { RenderedCharge, Usage } from '../../../nouns/usage.ts';
import { AudioScale } from '../../../pricing/audio-scale.ts';
import type { Deployment } from '../../../pricing/catalogue.ts';
import { renderUsage } from '../../../pricing/render-usage.ts';
import type { UpstreamBody } from '../../adapter.ts';
import { chatChoice } from './chat-choice.ts';
import { type CompletionObject, findUsage, makeHead, readHead, withHead } from './completion-head.ts';
import { isPlainCompletion, type PlainCompletion } from './plain-completion.ts';
import { generatedAudio, generatedTexts } from './plain-message.ts';
import { readResponseObject } from './read-response-object.ts';
import { EchoedPrompts, textChoice } from './text-choices.ts';

/** Throws UpstreamFailure, as `readCompletionBody` does. */
export function readChatBody(text: string, call: ChatCall, deployment: Deployment): UpstreamBody {
  return readBody(text, { object: 'chat.completion', model: call.model, deployment }, (choices) => {
    const read = choices.map(chatChoice);
    const audio = audioScaleOf(call);
    for (const { message } of read) audio.add(generatedAudio(message) ?? '');
    return {
      choices: read,
      outputTexts: read.flatMap(({ message }) => generatedTexts(message)),
      audioTokens: audio.tokens,
    };
  });
}

export function audioScaleOf({ body }: ChatCall): AudioScale {
  return new AudioScale(asRecord(body.audio).format);
}

export function readCompletionBody(text: string, call: CompletionCall, deployment: Deployment): UpstreamBody {
  return readBody(text, { object: 'text_completion', model: call.model, deployment }, (choices) => {
    const echo = new EchoedPrompts(call);
    const read = choices.map(textChoice);
    return {
      // A whole response has ended, even if its provider does not say so.
      choices: read.map((choice) => ({ ...choice, finish_reason: choice.finish_reason ?? 'stop' })),
      outputTexts: read.map(({ index, text: generated }) => echo.withoutPrompt(index, generated)),
    };
  });
}

interface ReadChoices extends Pick<UpstreamBody, 'outputTexts' | 'audioTokens'> {
  readonly choices: readonly JsonRecord[];
}

function readBody(
  text: string,
  { object, model, deployment }: { object: CompletionObject; model: string; deployment: Deployment },
  readChoices: (choices: readonly JsonRecord[]) => ReadChoices,
): UpstreamBody {
  const response = readResponseObject(text);
  const usage = findUsage(response, deployment.provider.quirks);
  if (isPlainCompletion(response)) {
    return new PlainBody(text, response, { model, usage });
  }
  const { choices, ...output } = readChoices(asArray(response.choices).filter(isObject));
  if (choices.length === 0) throw new UpstreamFailure('malformed', 'The provider returned a response without choices.');
  const patch = patchBetween(response, withHead(response, readHead(response, makeHead(object, model)), choices));
  return {
    usage,
    ...output,
    render: (charge) => patchObject(text, { ...patch, usage: renderUsage(charge) }),
  };
}

/** A response that is passed on unchanged, except for its usage and the model's name. */
class PlainBody implements UpstreamBody {
  readonly usage: Usage | null;
  readonly #text: string;
  readonly #response: PlainCompletion;
  readonly #model: string;

  constructor(text: string, response: PlainCompletion, { model, usage }: { model: string; usage: Usage | null }) {
    this.usage = usage;
    this.#text = text;
    this.#response = response;
    this.#model = model;
  }

  /** Only needed if there is no usage. */
  get outputTexts(): readonly string[] {
    return this.#response.choices.flatMap(({ message }) => generatedTexts(message));
  }

  render(charge: RenderedCharge): string {
    return patchObject(this.#text, { model: JSON.stringify(this.#model), usage: renderUsage(charge) });
  }
}
