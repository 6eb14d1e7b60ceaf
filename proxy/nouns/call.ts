/** A request of any endpoint, as a type for each kind of model. What all of them have in common is what the relay needs. */
import type { ModelKind } from '../../shared/catalogue/model-kinds.ts';
import type { ImageVariant } from '../../shared/usage/image-prices.ts';
import type { JsonRecord } from './json/record.ts';
import type { ChatRequest } from './requests/chat-request.ts';
import type { WebSearch } from './requests/web-search.ts';
import type { SpeechFormat } from './speech-formats.ts';

interface AnyCall {
  readonly kind: ModelKind;
  /** The model's id in the catalogue. */
  readonly model: string;
  readonly stream: boolean;
  /** No client waits for its response: it is a line of a batch. */
  readonly isDeferred?: boolean;
  /**
   * The body in the format of our own endpoint for this kind of model, forwarded with as few changes as possible. No
   * object in it has duplicate names. A large body that is passed on is bytes.
   */
  readonly text: string | Buffer<ArrayBuffer>;
  /** The same body, parsed. Translations to other protocols start from it. */
  readonly body: JsonRecord;
  /** The size of the request, an upper bound of the prompt's tokens. */
  readonly bytes: number;
  /** The prompt's texts. */
  readonly promptTexts: readonly string[];
  /** Images, audio and files in the prompt, which may count for more tokens than the bytes that name them. */
  readonly mediaParts: number;
  /** Whether one of them is video, audio or a document, which may fill the context regardless of its size in bytes. */
  readonly hasLongMedia?: boolean;
}

/** Text is generated. */
interface AnyTextCall extends AnyCall {
  /** Whether the client wants the usage in a last streamed chunk. */
  readonly includeUsage: boolean;
  /** The request's `n`. */
  readonly n: number;
  /** Responses to generate in total. Each may use the output cap. */
  readonly choices: number;
  /** The client's own cap on output tokens, if any. */
  readonly outputCap: number | undefined;
}

export interface ChatCall extends AnyTextCall {
  readonly kind: 'chat';
  readonly body: ChatRequest & JsonRecord;
  /** Whether there are earlier tool calls, or functions in OpenAI's older format: providers add instructions then. */
  readonly hasCalls?: boolean;
  /** The kinds of tools that were left out, because the provider would run them. */
  readonly removedTools?: readonly string[] | undefined;
  /** That the provider may search the web, at a price for each search. */
  readonly webSearch?: WebSearch;
  /** Functions that stand for tools of the client whose input is a text. It reads their arguments as that text, not as JSON. */
  readonly textTools?: readonly string[];
  /** The client's, if the body is a translation without it. */
  readonly metadata?: JsonRecord;
  /** Whether the client wants audio, beside text. */
  readonly outputsAudio?: boolean;
  /** Whether the client's API format keeps the order in which thinking, texts and calls are generated. Chat completions do not. */
  readonly keepsOrder?: boolean;
  /** Anthropic's effort of a request that does not ask for thinking. Adapters for other models read `reasoning` of the body. */
  readonly effortAlone?: string;
  /** Where the body asks for a cache write of an hour, which not every model has a price for. */
  readonly longCacheWriteAt?: string;
}

/** Several prompts, each of which may fill the model's context. */
interface Prompts {
  readonly prompts: number;
  /** How many prompt tokens were sent as numbers instead of text. */
  readonly promptTokenIds: number;
}

export interface CompletionCall extends AnyTextCall, Prompts {
  readonly kind: 'completion';
}

export interface EmbeddingCall extends AnyCall, Prompts {
  readonly kind: 'embedding';
}

export interface ModerationCall extends AnyCall {
  readonly kind: 'moderation';
  /** How many inputs are judged, each on its own. */
  readonly prompts: number;
}

export interface RerankCall extends AnyCall {
  readonly kind: 'rerank';
  /** The query, and then the text of each document. */
  readonly promptTexts: readonly string[];
  /** How many there are. */
  readonly documents: number;
  /** How many results the client wants at most. */
  readonly resultsMax: number;
  /** As the client sent them, if the results are to have them. */
  readonly returned: readonly unknown[] | undefined;
}

export interface ImageCall extends AnyCall {
  readonly kind: 'image';
  /** How many images are wanted. */
  readonly n: number;
  /** Their size and quality, which have a price. */
  readonly variant: ImageVariant;
  /** What they are made from; undefined if from the prompt alone. */
  readonly edited: EditedImages | undefined;
}

export interface EditedImages {
  /** At least one. */
  readonly images: readonly UploadedFile[];
  /** Where the first one is to be changed. */
  readonly mask: UploadedFile | undefined;
}

/** What the client sent with a form, under a name of ours. */
export interface UploadedFile {
  readonly bytes: Uint8Array;
  /** With an ending that says its format, which some providers go by. */
  readonly fileName: string;
  readonly mediaType: string;
}

export interface SpeechCall extends AnyCall {
  readonly kind: 'speech';
  /** Of the text to speak, as Unicode counts them. */
  readonly characters: number;
  readonly format: SpeechFormat;
  /** Whether the client wants the audio in server-sent events instead of as it is. */
  readonly wantsEvents: boolean;
}

export interface TranscriptionCall extends AnyCall {
  readonly kind: 'transcription';
  readonly audio: UploadedAudio;
  /** Into English. */
  readonly translates: boolean;
  readonly format: TranscriptFormat;
}

export interface UploadedAudio extends UploadedFile {
  /** How long it can be. */
  readonly secondsMax: number;
}

export const transcriptFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

export type TextCall = ChatCall | CompletionCall;
export type Call =
  | ChatCall
  | CompletionCall
  | EmbeddingCall
  | ImageCall
  | SpeechCall
  | TranscriptionCall
  | ModerationCall
  | RerankCall;
export type CallOf<Kind extends ModelKind> = Extract<Call, { kind: Kind }>;
