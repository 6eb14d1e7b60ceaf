/** The usage of an answer or a chunk, wherever an OpenAI-compatible provider puts it. */
import { asArray, asRecord, type JsonRecord } from '../../../json/record.ts';
import { readUsage, type Usage, type UsageNames } from '../../../metering/usage.ts';

/** Null if it is missing or absurd. Groq also has it in `x_groq`, and Moonshot's streams in the choice. */
export function findUsage(answer: JsonRecord, names: UsageNames): Usage | null {
  return (
    readUsage(answer.usage, names) ??
    readUsage(asRecord(answer.x_groq).usage, names) ??
    readUsage(asRecord(asArray(answer.choices)[0]).usage, names)
  );
}
