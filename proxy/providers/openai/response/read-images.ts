/** Images of an OpenAI-compatible provider, as our endpoint returns them. Each image that came is charged. */
import { isObject } from '../../../../shared/members.ts';
import type { ImageCall } from '../../../nouns/call.ts';
import { asArray, asRecord, type JsonRecord } from '../../../nouns/json/record.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import { noUsage, type RenderedCharge, readCount } from '../../../nouns/usage.ts';
import type { MadeUnits, UpstreamBody } from '../../adapter.ts';
import { readResponseObject } from './read-response-object.ts';

/** What an image consists of; anything else is left out. */
const imageMembers = ['b64_json', 'url', 'revised_prompt'];
/** What was made of `auto`. */
const choiceMembers = ['background', 'output_format', 'quality', 'size'];

/** Throws UpstreamFailure where there is no image in it. More than were asked for are not passed on. */
export function readImagesBody(text: string, call: ImageCall): UpstreamBody {
  const response = readResponseObject(text);
  const data = asArray(response.data).filter(isObject).filter(hasImage).slice(0, call.n);
  if (data.length === 0) throw new UpstreamFailure('malformed', 'The provider returned a response without images.');
  return {
    usage: null,
    made: {
      units: { ...noUsage, images: data.length },
      prompt: promptOf(asRecord(response.usage)),
    },
    outputTexts: [],
    render: (charge) => {
      const body = JSON.stringify({
        created: readTime(response.created) ?? Math.floor(Date.now() / 1_000),
        data: data.map((image) => textsOf(image, imageMembers)),
        ...textsOf(response, choiceMembers),
      });
      const usage = renderTokens(response.usage, charge);
      return usage === undefined ? body : `${body.slice(0, -1)},"usage":${usage}}`;
    },
  };
}

function promptOf({ input_tokens: input, input_tokens_details: details }: JsonRecord): MadeUnits['prompt'] {
  const promptTokens = readCount(input);
  if (promptTokens === undefined) return undefined;
  const ofImages = readCount(asRecord(details).image_tokens) ?? 0;
  return { promptTokens, imagePromptTokens: Math.min(ofImages, promptTokens) };
}

/** Seconds since 1970; some providers leave it out. */
function readTime(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}

function hasImage({ b64_json: base64, url }: JsonRecord): boolean {
  return isText(base64) || isText(url);
}

function textsOf(record: JsonRecord, names: readonly string[]): JsonRecord {
  return Object.fromEntries(names.filter((name) => isText(record[name])).map((name) => [name, record[name]]));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The provider's count of tokens, and what the images and their prompt have cost. Undefined where it has none. */
function renderTokens(usage: unknown, { costUsd }: RenderedCharge): string | undefined {
  if (!isObject(usage)) return undefined;
  const { input_tokens_details: inputDetails, output_tokens_details: outputDetails } = usage;
  const [total, input, output] = [usage.total_tokens, usage.input_tokens, usage.output_tokens].map((count) =>
    readCount(count),
  );
  if (total === undefined || input === undefined || output === undefined || !isObject(inputDetails)) return undefined;
  const counts = JSON.stringify({
    total_tokens: total,
    input_tokens: input,
    output_tokens: output,
    input_tokens_details: detailsOf(inputDetails),
    ...(isObject(outputDetails) && { output_tokens_details: detailsOf(outputDetails) }),
  });
  return `${counts.slice(0, -1)},"cost":${costUsd}}`;
}

function detailsOf({ image_tokens: image, text_tokens: text }: JsonRecord): JsonRecord {
  return { image_tokens: readCount(image) ?? 0, text_tokens: readCount(text) ?? 0 };
}
