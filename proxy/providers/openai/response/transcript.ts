/** A transcript as an OpenAI-compatible provider returns it, and what was used for it. */
import { isObject } from '../../../../shared/members.ts';
import type { TranscriptionCall } from '../../../nouns/call.ts';
import { asArray, asRecord, type JsonRecord } from '../../../nouns/json/record.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import { noUsage, type RenderedCharge, readCount } from '../../../nouns/usage.ts';
import { countTexts, weigh } from '../../../pricing/text-scale.ts';
import type { MadeUnits, UpstreamBody } from '../../adapter.ts';
import { readResponseObject } from './read-response-object.ts';
import { renderSubtitles, type Segment } from './subtitles.ts';

/** Of a recording, for a provider that does not report its tokens. */
const audioTokensPerSecond = 10;

const segmentMembers = [
  ...['id', 'seek', 'start', 'end', 'text', 'tokens', 'temperature', 'avg_logprob', 'compression_ratio'],
  'no_speech_prob',
];
const wordMembers = ['word', 'start', 'end'];

/** Throws UpstreamFailure where there is no text in it. */
export function readTranscript(text: string, call: TranscriptionCall): UpstreamBody {
  const response = readResponseObject(text);
  if (typeof response.text !== 'string') {
    throw new UpstreamFailure('malformed', 'The provider returned a response without a transcript.');
  }
  const transcript: Transcript = { ...response, text: response.text };
  const used = usedFor(transcript, call);
  return {
    usage: null,
    made: { ...used, prompt: used.units },
    outputTexts: [transcript.text],
    render: (charge) => render(transcript, call, charge),
    ...(typesOf[call.format] !== undefined && { mediaType: typesOf[call.format] }),
  };
}

type Transcript = JsonRecord & { readonly text: string };

/** JSON where there is none. */
const typesOf: Partial<Record<TranscriptionCall['format'], string>> = {
  text: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
};

/** What was not reported is estimated, and does not matter where it has no price. */
export function usedFor({ text, usage, duration }: JsonRecord, { audio, promptTexts }: TranscriptionCall): MadeUnits {
  const { input_tokens: input, input_token_details: details, output_tokens: output, seconds } = asRecord(usage);
  const reportedSeconds = readSeconds(seconds) ?? readSeconds(duration);
  const promptTokens = readCount(input);
  const completionTokens = readCount(output);
  const hasTokens = promptTokens !== undefined && completionTokens !== undefined;
  const weight = (texts: readonly string[]) => Math.round(weigh(countTexts(texts)));
  const lastsSeconds = reportedSeconds ?? Math.ceil(audio.secondsMax);
  return {
    units: {
      ...noUsage,
      audioSeconds: lastsSeconds,
      promptTokens: hasTokens ? promptTokens : lastsSeconds * audioTokensPerSecond + weight(promptTexts),
      audioPromptTokens: hasTokens ? Math.min(readCount(asRecord(details).audio_tokens) ?? 0, promptTokens) : 0,
      completionTokens: hasTokens ? completionTokens : weight([typeof text === 'string' ? text : '']),
    },
    estimated: [
      ...(reportedSeconds === undefined ? (['audioSeconds'] as const) : []),
      ...(hasTokens ? [] : (['promptTokens', 'completionTokens'] as const)),
    ],
  };
}

/** A second that has begun counts. Undefined if it is missing or absurd. */
function readSeconds(value: unknown): number | undefined {
  return typeof value === 'number' ? readCount(Math.ceil(value)) : undefined;
}

function render(transcript: Transcript, { format, audio }: TranscriptionCall, charge: RenderedCharge): string {
  const { text, logprobs } = transcript;
  if (format === 'text') return `${text}\n`;
  if (format === 'srt' || format === 'vtt') {
    return renderSubtitles(format, segmentsOf(transcript, audio.secondsMax));
  }
  const usage = renderTranscriptUsage(transcript.usage, charge);
  const own =
    format === 'json' ? { text, ...(Array.isArray(logprobs) && { logprobs }) } : describe(transcript, audio.secondsMax);
  return `${JSON.stringify(own).slice(0, -1)},"usage":${usage}}`;
}

function describe({ task, language, duration, text, words, segments }: Transcript, secondsMax: number): JsonRecord {
  return {
    task: typeof task === 'string' ? task : 'transcribe',
    language: typeof language === 'string' ? language : '',
    duration: typeof duration === 'number' ? duration : secondsMax,
    text,
    ...(Array.isArray(words) && { words: membersOf(words, wordMembers) }),
    ...(Array.isArray(segments) && { segments: membersOf(segments, segmentMembers) }),
  };
}

function membersOf(list: readonly unknown[], names: readonly string[]): JsonRecord[] {
  return list
    .filter(isObject)
    .map((item) =>
      Object.fromEntries(names.filter((name) => item[name] !== undefined).map((name) => [name, item[name]])),
    );
}

/** One for the whole text where the provider has none. */
function segmentsOf({ text, duration, segments }: Transcript, secondsMax: number): Segment[] {
  const timed = asArray(segments).flatMap((item) => {
    const { start, end, text: said } = asRecord(item);
    return typeof start === 'number' && typeof end === 'number' && typeof said === 'string'
      ? [{ start, end, text: said }]
      : [];
  });
  if (timed.length > 0 || text === '') return timed;
  return [{ start: 0, end: typeof duration === 'number' ? duration : secondsMax, text }];
}

/** As it was charged: by seconds or by tokens. The kinds of tokens are the provider's. */
export function renderTranscriptUsage(reported: unknown, { usage, costUsd }: RenderedCharge): string {
  if (usage.audioSeconds > 0) return `{"type":"duration","seconds":${usage.audioSeconds},"cost":${costUsd}}`;
  const { promptTokens: input, completionTokens: output } = usage;
  const { input_token_details: details } = asRecord(reported);
  const { text_tokens: text, audio_tokens: audio } = asRecord(details);
  const counts = JSON.stringify({
    type: 'tokens',
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    ...(isObject(details) && {
      input_token_details: { text_tokens: readCount(text) ?? 0, audio_tokens: readCount(audio) ?? 0 },
    }),
  });
  return `${counts.slice(0, -1)},"cost":${costUsd}}`;
}
