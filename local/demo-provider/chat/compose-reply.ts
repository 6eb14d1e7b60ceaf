/**
 * The responses of the demo chat model. It says that it is not a language model, the same question always gets the same
 * response, which is about the question, so that a reader sees which request it belongs to.
 */
import { describeText } from './describe-text.ts';
import type { Message } from './messages.ts';

const introduction =
  'I am the demo model that comes with this gateway: a small program, not a language model, so that you can try ' +
  'streaming, token counts and billing before you connect a real provider.';
const invitation =
  'Add a real provider to the catalogue, and the same request gets a real answer; nothing else in your code changes.';

const quotedMax = 280;
const greeting = /^\s*(hi|hello|hey|hallo|good (morning|day|afternoon|evening)|привет|здравствуй(те)?)[\s!.,)]*$/iu;
const aboutItself = /\b(who|what) (are|is) (you|this)\b|\byour name\b|кто ты|что ты/iu;
const aboutMoney = /\b(price|pricing|cost|bill|billing|balance|pay|tokens?)\b|цен|стоим|баланс|оплат/iu;

/** `choice` counts from 0; further choices of `n` are distinguished by their number. */
export function composeReply(messages: readonly Message[], choice: number): string {
  const text = replyTo(messages);
  return choice === 0 ? text : `(Choice ${choice + 1}) ${text}`;
}

function replyTo(messages: readonly Message[]): string {
  const last = messages.at(-1);
  if (last?.role === 'tool' || last?.role === 'function') return replyToTool(last.text);
  const question = messages.findLast(({ role }) => role === 'user')?.text.trim() ?? '';
  if (question === '') return `${introduction} Your message has no text, so I have nothing to answer. ${invitation}`;
  if (greeting.test(question))
    return 'Hello! I am the demo model of this gateway. Ask me anything, and watch the tokens.';
  if (aboutItself.test(question)) return `${introduction} ${invitation}`;
  if (aboutMoney.test(question)) return replyAboutMoney();
  return replyToQuestion(question, messages);
}

function replyToQuestion(question: string, messages: readonly Message[]): string {
  const turns = messages.filter(({ role }) => role === 'user').length;
  const instructed = messages.some(({ role }) => role === 'system' || role === 'developer');
  const paragraphs = [
    `You wrote: “${shortened(question)}”`,
    introduction,
    `About your message: ${describeText(question)}.`,
  ];
  if (turns > 1)
    paragraphs.push(`It is your message number ${turns} in this conversation, and I received all of them.`);
  if (instructed) paragraphs.push('I also received your instructions to the model; a real model would follow them.');
  return [...paragraphs, invitation].join('\n\n');
}

function replyToTool(result: string): string {
  return `The tool answered: “${shortened(result.trim())}” A real model would now use this result; I only show it.`;
}

function replyAboutMoney(): string {
  return (
    'Every request is paid from your balance by its tokens: prompt tokens and output tokens, each at its ' +
    'own price, which GET /v1/models lists. The `usage` object of this response has both counts, and its cost beside ' +
    `them. ${introduction}`
  );
}

function shortened(text: string): string {
  const line = text.replace(/\s+/gu, ' ');
  const characters = [...line.slice(0, quotedMax * 2)];
  return characters.length <= quotedMax ? line : `${characters.slice(0, quotedMax).join('')}…`;
}
