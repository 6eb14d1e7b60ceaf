/** What is sent to a model: the settings of the playground and the conversation so far. */
import type { Turn } from './turns.ts';

/** What a field for a number holds: a text while it is typed. An empty one leaves the choice to the model. */
type NumberText = number | string;

export interface Settings {
  readonly systemPrompt: string;
  readonly temperature: NumberText;
  readonly topP: NumberText;
  readonly maxTokens: NumberText;
  readonly frequencyPenalty: NumberText;
  readonly presencePenalty: NumberText;
  readonly reasoningEffort: ReasoningEffort | '';
  readonly stop: readonly string[];
}

export const reasoningEfforts = ['low', 'medium', 'high'] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

export const initialSettings: Settings = {
  systemPrompt: '',
  temperature: '',
  topP: '',
  maxTokens: '',
  frequencyPenalty: '',
  presencePenalty: '',
  reasoningEffort: '',
  stop: [],
};

interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface ChatBody {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly [parameter: string]: unknown;
}

interface ChatBodyInput {
  readonly model: string;
  readonly settings: Settings;
  /** The turns before the message. */
  readonly turns: readonly Turn[];
  readonly message: string;
  /** Which of the compared responses the model is shown as its own. */
  readonly column: number;
}

export function chatBodyOf({ model, settings, turns, message, column }: ChatBodyInput): ChatBody {
  const { systemPrompt, stop } = settings;
  const system: Message[] = systemPrompt.trim() === '' ? [] : [{ role: 'system', content: systemPrompt }];
  const parameters = {
    temperature: numberOf(settings.temperature),
    top_p: numberOf(settings.topP),
    max_tokens: numberOf(settings.maxTokens),
    frequency_penalty: numberOf(settings.frequencyPenalty),
    presence_penalty: numberOf(settings.presencePenalty),
    reasoning_effort: settings.reasoningEffort || undefined,
  };
  return {
    model,
    messages: [...system, ...turns.flatMap((turn) => messagesOf(turn, column)), { role: 'user', content: message }],
    ...Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined)),
    ...(stop.length > 0 && { stop }),
  };
}

function numberOf(text: NumberText): number | undefined {
  const value = Number(text);
  return text === '' || Number.isNaN(value) ? undefined : value;
}

/** Nothing of a turn without a response: models expect a response to every message. */
function messagesOf({ message, responses }: Turn, column: number): Message[] {
  const { text = '' } = responses[column] ?? responses[0] ?? {};
  if (text === '') return [];
  return [
    { role: 'user', content: message },
    { role: 'assistant', content: text },
  ];
}
