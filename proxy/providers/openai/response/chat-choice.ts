/** A choice of a whole chat completion. Required members that a provider leaves out become null or are made up. */
import { isObject, withoutUndefined } from '../../../../shared/members.ts';
import { asArray, asIndex, asRecord, asText, type JsonRecord } from '../../../nouns/json/record.ts';
import { readFinishReason } from './finish-reason.ts';
import { chatLogProbabilities } from './log-probabilities.ts';
import { argumentsText, plainMessage } from './plain-message.ts';
import { reportedFailure } from './read-response-object.ts';

/** Throws UpstreamFailure if the choice failed. */
export function chatChoice(choice: JsonRecord, position: number) {
  if (isObject(choice.error)) throw reportedFailure(choice.error);
  const message = wholeMessage(isObject(choice.message) ? choice.message : { content: choice.text });
  const called = asArray(message.tool_calls).length > 0;
  return {
    ...choice,
    index: asIndex(choice.index) ?? position,
    message,
    logprobs: chatLogProbabilities(choice.logprobs),
    // A whole response has ended, even if its provider does not say so.
    finish_reason: readFinishReason(choice.finish_reason) ?? (called ? 'tool_calls' : 'stop'),
  };
}

function wholeMessage(own: JsonRecord): JsonRecord {
  const message = plainMessage(own);
  const calls = asArray(own.tool_calls).filter(isObject).map(toolCall);
  const called = calls.length > 0 || isObject(message.function_call);
  return withoutUndefined({
    ...message,
    role: 'assistant',
    // Only a message that calls tools may have no content.
    content: message.content ?? (called ? null : ''),
    refusal: message.refusal ?? null,
    tool_calls: Array.isArray(own.tool_calls) ? calls : undefined,
    function_call: isObject(message.function_call) ? wholeFunction(message.function_call) : undefined,
    audio: own.audio === null ? null : wholeAudio(own.audio),
  });
}

function toolCall(call: JsonRecord): JsonRecord {
  const id = asText(call.id) ?? `call_${crypto.randomUUID().replaceAll('-', '')}`;
  if (call.type === 'custom') return { ...call, id, custom: customCall(call.custom) };
  return { ...call, id, type: 'function', function: wholeFunction(asRecord(call.function)) };
}

/** Clients parse the arguments, so they must not be empty. */
function wholeFunction(own: JsonRecord): JsonRecord {
  const text = argumentsText(own.arguments) ?? '';
  return { ...own, name: asText(own.name) ?? '', arguments: text.trim() === '' ? '{}' : text };
}

function customCall(value: unknown): JsonRecord {
  const own = asRecord(value);
  return { ...own, name: asText(own.name) ?? '', input: argumentsText(own.input) ?? '' };
}

/** Undefined if there is none. A provider that does not keep it may leave out what it is called there, and for how long it is. */
function wholeAudio(value: unknown): JsonRecord | undefined {
  const { id, data, transcript, expires_at: expiresAt, ...more } = asRecord(value);
  if (asText(data) === undefined) return undefined;
  return {
    ...more,
    id: asText(id) ?? `audio_${crypto.randomUUID().replaceAll('-', '')}`,
    data,
    transcript: asText(transcript) ?? '',
    expires_at: Number.isInteger(expiresAt) ? expiresAt : Math.floor(Date.now() / 1000),
  };
}
