/** A first request in three languages. */

export const snippetLanguages = ['curl', 'Python', 'TypeScript'] as const;
export type SnippetLanguage = (typeof snippetLanguages)[number];

interface SnippetValues {
  /** The address of the proxy, without `/v1`. */
  readonly proxyUrl: string;
  readonly key: string;
  readonly model: string;
}

const question = 'Hello!';

export function snippetOf(language: SnippetLanguage, { proxyUrl, key, model }: SnippetValues): string {
  const address = `${proxyUrl.replace(/\/$/, '')}/v1`;
  return { curl, Python: python, TypeScript: typescript }[language](address, key, model);
}

type Write = (address: string, key: string, model: string) => string;

const curl: Write = (address, key, model) => `curl ${address}/chat/completions \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"${model}","messages":[{"role":"user","content":"${question}"}]}'`;

const python: Write = (address, key, model) => `# pip install openai
from openai import OpenAI

client = OpenAI(base_url="${address}", api_key="${key}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${question}"}],
)
print(answer.choices[0].message.content)`;

const typescript: Write = (address, key, model) => `// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${address}', apiKey: '${key}' });
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: '${question}' }],
});
console.log(answer.choices[0]?.message.content);`;
