/** Translates a whole response of content blocks to a chat completion. */
import type { Annotation, ChatCompletion, ThinkingBlock, ToolCall, TurnBlock } from '../../nouns/chat-completion.ts';
import { fitsChatMessage } from '../../nouns/requests/ordered-turn.ts';
import type { Usage } from '../../nouns/usage.ts';
import { renderUsage } from '../../pricing/render-usage.ts';
import type { UpstreamBody } from '../adapter.ts';
import { finishReasonOf, nativeReasonOf } from './finish-reason.ts';
import { completionId, toolCallId } from './ids.ts';
import type { ModelBlock } from './model-block.ts';
import { annotationsOf, citationsOf, type Shown, searchBlockOf } from './web-searches.ts';

export interface WholeCompletionOptions {
  /** The model's id in the catalogue. */
  readonly model: string;
  readonly nowMs: number;
  /** The tool whose input is the response, if the model was given one. */
  readonly jsonTool: string | undefined;
  readonly keepsOrder?: boolean | undefined;
  readonly shown?: Shown | undefined;
}

export interface WholeMessage {
  readonly id?: string | null | undefined;
  readonly blocks: readonly ModelBlock[];
  readonly stopReason: string | null | undefined;
  /** Null if the provider reported none. */
  readonly usage: Usage | null;
}

export function wholeCompletion(message: WholeMessage, options: WholeCompletionOptions): UpstreamBody {
  const { blocks, usage } = message;
  const { model, nowMs, jsonTool, shown = {} } = options;
  const id = completionId(message.id);
  const isJson = (block: ModelBlock) => jsonTool !== undefined && block.type === 'tool_use' && block.name === jsonTool;
  const json = blocks.find(isJson);
  const toolCalls = blocks
    .filter((block) => block.type === 'tool_use' && block !== json)
    .map((block, index) => toolCallOf(block, toolCallId(id, index)));
  const thoughts = leadingThoughts(blocks);
  const reasoning = blocks.map((block) => (block.type === 'thinking' ? (block.thinking ?? '') : '')).join('');
  const content = json === undefined ? joinTexts(blocks) : inputOf(json);
  const annotations = jsonTool === undefined ? citedParts(blocks, shown) : [];
  const turn = turnOf(blocks, options);
  const completion: ChatCompletion = {
    id,
    object: 'chat.completion',
    created: Math.floor(nowMs / 1000),
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: content === '' && toolCalls.length > 0 ? null : content,
          refusal: null,
          ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
          ...(thoughts.length === 0 ? {} : { thinking_blocks: thoughts }),
          ...(turn.length === 0 ? {} : { turn_blocks: turn }),
          ...(annotations.length === 0 ? {} : { annotations }),
          ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
        },
        finish_reason: finishReasonOf(message.stopReason, toolCalls.length),
        ...(shown.showsResults && nativeReasonOf(message.stopReason)),
        logprobs: null,
      },
    ],
  };
  return {
    usage,
    outputTexts: [content, reasoning, ...toolCalls.flatMap(({ function: called }) => [called.name, called.arguments])],
    render: (charge) => `${JSON.stringify(completion).slice(0, -1)},"usage":${renderUsage(charge)}}`,
  };
}

function toolCallOf(block: ModelBlock, ownId: string): ToolCall {
  const { id, name } = block.type === 'tool_use' ? block : {};
  return { id: id || ownId, type: 'function', function: { name: name ?? '', arguments: inputOf(block) } };
}

/** JSON text. */
function inputOf(block: ModelBlock): string {
  return JSON.stringify((block.type === 'tool_use' ? block.input : undefined) ?? {});
}

function thinkingBlockOf(block: ModelBlock): ThinkingBlock[] {
  if (block.type === 'redacted_thinking') return [{ type: 'redacted_thinking', data: block.data ?? '' }];
  if (block.type !== 'thinking') return [];
  return [{ type: 'thinking', thinking: block.thinking ?? '', signature: block.signature ?? '' }];
}

function citedParts(blocks: readonly ModelBlock[], shown: Shown): Annotation[] {
  let end = 0;
  return blocks.flatMap((block) => {
    if (block.type !== 'text') return [];
    const begin = end;
    end += block.text?.length ?? 0;
    return annotationsOf(citationsOf(block.citations), { begin, end, shown });
  });
}

/** What follows something else is signed at a place that a chat message does not have. */
function leadingThoughts(blocks: readonly ModelBlock[]): ThinkingBlock[] {
  const end = blocks.findIndex(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
  return blocks.slice(0, end < 0 ? undefined : end).flatMap(thinkingBlockOf);
}

/** Empty where a chat message says as much, and for a response in JSON, which is no turn that could go back. */
function turnOf(blocks: readonly ModelBlock[], { jsonTool, keepsOrder, shown = {} }: WholeCompletionOptions) {
  if (jsonTool !== undefined || !keepsOrder) return [];
  const turn = turnBlocksOf(blocks, shown);
  return shown.showsResults || !fitsChatMessage(turn) ? turn : [];
}

function turnBlocksOf(blocks: readonly ModelBlock[], shown: Shown): TurnBlock[] {
  let calls = 0;
  return blocks.flatMap((block): TurnBlock[] => {
    if (block.type === 'text') {
      const citations = citationsOf(block.citations);
      return [{ type: block.type, text: block.text ?? '', ...(citations.length > 0 && { citations }) }];
    }
    if (block.type === 'server_tool_use' || block.type === 'web_search_tool_result') return searchBlockOf(block, shown);
    if (block.type !== 'tool_use') return thinkingBlockOf(block);
    calls += 1;
    return [{ type: 'call', index: calls - 1 }];
  });
}

function joinTexts(blocks: readonly ModelBlock[]): string {
  return blocks.map((block) => (block.type === 'text' ? (block.text ?? '') : '')).join('');
}
