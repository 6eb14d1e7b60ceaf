/** The usage of an answer or a chunk, wherever an OpenAI-compatible provider puts it. */
import { asArray, asRecord, type JsonRecord } from '../../json/record.ts';
import { readUsage, type Usage } from '../../metering/usage.ts';

/** Null where it is missing or absurd. Groq has it in `x_groq` too, Moonshot's streams in the choice. */
export function findUsage(answer: JsonRecord, cachedTokensField: string | undefined): Usage | null {
  const places = [answer.usage, asRecord(answer.x_groq).usage, asRecord(asArray(answer.choices)[0]).usage];
  for (const place of places) {
    const usage = readUsage(place, { cachedTokensField });
    if (usage !== null) return usage;
  }
  return null;
}
