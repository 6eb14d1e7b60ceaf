/** Schemas of the items of a response's output, and of their parts. The dialect writes their types. */
import { Type } from '@sinclair/typebox';
import { always, anything, orNull, tag, text, words } from '../document/schema-parts.ts';

const itemStatus = words(
  ['in_progress', 'completed', 'incomplete'],
  'Whether the item is complete. `incomplete` if the response was cut off within it.',
);
const id = text('The id of the item. Nothing is stored under it.');

const namespace = Type.Optional(text('The namespace of the tool, if it is in one.'));
const extraContent = Type.Optional(
  anything("Data that the provider needs back with the call, such as Gemini's thought signature. Send it unchanged."),
);

export const noLogprobs = Type.Array(Type.Unknown(), {
  description: 'Always empty. Log probabilities are available from `/v1/chat/completions`.',
});

export const urlCitation = Type.Object(
  {
    type: always('url_citation'),
    url: text('The address of the page.'),
    title: text('The title of the page.'),
    start_index: Type.Integer({ description: 'Where the cited part begins in the text.' }),
    end_index: Type.Integer({ description: 'Where it ends.' }),
  },
  { description: 'A page that a part of the text is cited from.' },
);

export const part = Type.Union([
  Type.Object({
    type: tag('output_text', 'text that the model generated.'),
    text: text('The text of the part.'),
    annotations: Type.Array(urlCitation, {
      description: 'What parts of the text are cited from, if the provider has searched the web.',
    }),
    logprobs: noLogprobs,
  }),
  Type.Object({ type: tag('refusal', 'the model declined to answer.'), refusal: text('Why the model declined.') }),
]);
export const summaryPart = Type.Object({
  type: always('summary_text'),
  text: text("The model's reasoning, as far as the provider shows it."),
});

export const outputItem = Type.Union(
  [
    Type.Object({
      id,
      type: tag('message', 'a message that the model generated.'),
      role: always('assistant'),
      status: itemStatus,
      content: Type.Array(part, { description: 'The parts of the message: text, or a refusal.' }),
    }),
    Type.Object({
      id,
      type: tag('function_call', 'a function call for you to run.'),
      call_id: text('The id of the call. Send it back with the result, in a `function_call_output` item.'),
      name: text('The name of the function to call.'),
      namespace,
      arguments: text('The arguments, as a JSON string. The model generates it, so validate it before you use it.'),
      status: itemStatus,
      extra_content: extraContent,
    }),
    Type.Object({
      id,
      type: tag('custom_tool_call', 'a call of a custom tool for you to run.'),
      call_id: text('The id of the call. Send it back with the result, in a `custom_tool_call_output` item.'),
      name: text('The name of the tool to call.'),
      namespace,
      input: text('The input of the tool. The model generates it; nothing checks it against a grammar.'),
      status: itemStatus,
      extra_content: extraContent,
    }),
    Type.Object({
      id,
      type: tag('web_search_call', 'a search of the web by the provider, at the price of `web_search`.'),
      status: words(
        ['in_progress', 'searching', 'completed', 'incomplete', 'failed'],
        'Whether the search is over. One that failed is free.',
      ),
      action: Type.Object(
        {
          type: always('search'),
          query: text('What was searched for.'),
          queries: Type.Array(Type.String(), { description: 'The same as a list.' }),
        },
        { description: 'What was done.' },
      ),
    }),
    Type.Object({
      id,
      type: tag('tool_search_call', 'a search for more tools for you to make.'),
      call_id: text('The id of the call. Send it back with the tools found, in a `tool_search_output` item.'),
      execution: always('client'),
      arguments: anything('What to search for, as an object.'),
      status: itemStatus,
      extra_content: extraContent,
    }),
    Type.Object({
      id,
      type: tag('reasoning', "the model's reasoning. You pay for it as output."),
      summary: Type.Array(summaryPart, { description: 'The reasoning, as far as the provider shows it.' }),
      encrypted_content: Type.Optional(
        orNull(
          Type.String(),
          'The encrypted reasoning, if `include` asks for it. Send the item back unchanged with the next turn.',
        ),
      ),
      status: itemStatus,
    }),
  ],
  { description: 'One item of the output, by its `type`.' },
);

export type UrlCitation = typeof urlCitation.static;
export type ItemStatus = typeof itemStatus.static;
export type ResponsePart = typeof part.static;
export type ResponseItem = typeof outputItem.static;
