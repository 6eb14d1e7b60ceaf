/** The lines of a batch's input: what each must be, and what makes the whole batch fail before any is run. */
import { isObject } from '../../shared/members.ts';
import { nextTurn } from '../../shared/next-turn.ts';
import { readJson } from '../../shared/read-json.ts';
import { parseExact } from '../nouns/json/parse-exact.ts';
import { asRecord } from '../nouns/json/record.ts';
import type { BatchProblem } from '../storage/batches.ts';
import { LineTooLong, readLines } from '../storage/read-lines.ts';

export const linesMax = 50_000;
const problemsMax = 100;
const customIdMaxLength = 512;
/** Of a line beside its body. */
const headMaxBytes = 8 * 1024;
const linesInTurn = 32;

export interface InputLine {
  /** From 1. */
  readonly number: number;
  readonly customId: string;
  /** Empty if the body names none. */
  readonly model: string;
  /** JSON text; integers of any size are as they were sent. */
  readonly body: string;
}

export interface Checked {
  readonly total: number;
  /** The batch fails if there is one. */
  readonly problems: readonly BatchProblem[];
}

export interface InputFormat {
  readonly endpoint: string;
  readonly bodyMaxBytes: number;
}

/** Of an input that was checked, which `open` opens once it is read, the lines whose number is wanted. Empty ones are left out. */
export async function* readInput(
  open: () => Promise<AsyncIterable<Uint8Array>>,
  { bodyMaxBytes }: InputFormat,
  isWanted: (number: number) => boolean,
): AsyncGenerator<InputLine> {
  let number = 0;
  for await (const text of readLines(await open(), bodyMaxBytes + headMaxBytes)) {
    number += 1;
    if (number % linesInTurn === 0) await nextTurn();
    if (text.trim() === '' || !isWanted(number)) continue;
    const { custom_id: customId, body } = asRecord(parseExact(text));
    const { model } = asRecord(body);
    yield {
      number,
      customId: String(customId),
      model: typeof model === 'string' ? model : '',
      body: JSON.stringify(body),
    };
  }
}

export async function checkInput(content: AsyncIterable<Uint8Array>, format: InputFormat): Promise<Checked> {
  const problems: BatchProblem[] = [];
  const customIds = new Set<string>();
  let [number, total] = [0, 0];
  try {
    for await (const text of readLines(content, format.bodyMaxBytes + headMaxBytes)) {
      number += 1;
      if (number % linesInTurn === 0) await nextTurn();
      if (text.trim() === '') continue;
      total += 1;
      const problem = total > linesMax ? tooManyLines : problemOf(readJson(text), format, customIds);
      if (problem !== undefined) problems.push({ line: number, param: null, ...problem });
      if (problems.length >= problemsMax || total > linesMax) break;
    }
  } catch (error) {
    problems.push(problemOfRead(error, number + 1));
  }
  if (total === 0 && problems.length === 0) problems.push({ ...emptyFile, line: null, param: null });
  return { total, problems };
}

type Problem = Pick<BatchProblem, 'code' | 'message'> & Partial<Pick<BatchProblem, 'param'>>;

const emptyFile: Problem = { code: 'empty_file', message: 'The input file has no requests.' };
const tooManyLines: Problem = { code: 'too_many_tasks', message: `A batch has at most ${linesMax} requests.` };

function problemOf(line: unknown, { endpoint }: InputFormat, customIds: Set<string>): Problem | undefined {
  if (!isObject(line)) return { code: 'invalid_json_line', message: 'The line is not a JSON object.' };
  const { custom_id: customId, method, url, body } = line;
  if (typeof customId !== 'string' || customId === '' || customId.length > customIdMaxLength) {
    const message = `'custom_id' must be a string of 1 to ${customIdMaxLength} characters.`;
    return { code: 'invalid_custom_id', message, param: 'custom_id' };
  }
  if (customIds.has(customId)) {
    const message = `Another line has the same 'custom_id', '${customId}'.`;
    return { code: 'duplicate_custom_id', message, param: 'custom_id' };
  }
  customIds.add(customId);
  if (method !== 'POST') return { code: 'invalid_method', message: "'method' must be POST.", param: 'method' };
  if (url !== endpoint) {
    return { code: 'invalid_url', message: `'url' must be the endpoint of the batch, '${endpoint}'.`, param: 'url' };
  }
  if (!isObject(body))
    return { code: 'missing_required_parameter', message: "'body' must be an object.", param: 'body' };
  if (body.stream === true) {
    return { code: 'invalid_stream', message: 'A response in a batch cannot be streamed.', param: 'body.stream' };
  }
  return undefined;
}

function problemOfRead(error: unknown, line: number): BatchProblem {
  const at = { line, param: null };
  if (error instanceof LineTooLong) {
    return { ...at, line: error.line, code: 'line_too_long', message: 'The request is larger than a request may be.' };
  }
  if (error instanceof TypeError) return { ...at, code: 'invalid_encoding', message: 'The line is not UTF-8.' };
  throw error;
}
