/** The request as a program would send it, in three languages. The key is read from the environment. */
import type { ChatBody } from '../conversation/chat-request.ts';

export const codeLanguages = ['curl', 'python', 'typescript'] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

/** As the languages write themselves. */
export const codeLanguageNames: Readonly<Record<CodeLanguage, string>> = {
  curl: 'curl',
  python: 'Python',
  typescript: 'TypeScript',
};

export function codeOf(language: CodeLanguage, body: ChatBody, proxyUrl: string): string {
  return { curl, python, typescript }[language](body, `${proxyUrl}/v1`);
}

function curl(body: ChatBody, baseUrl: string): string {
  const json = JSON.stringify({ ...body, stream: true }, null, 2);
  return [
    `curl -N ${baseUrl}/chat/completions \\`,
    '  -H "Authorization: Bearer $GATEWAY_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    // In single quotes, a shell takes everything else as it is.
    `  -d '${json.replaceAll("'", "'\\''")}'`,
  ].join('\n');
}

function python(body: ChatBody, baseUrl: string): string {
  // Strings, numbers and lists are the same in JSON and in Python, and a request has nothing else.
  const parameters = Object.entries(body).map(([name, value]) => `    ${name}=${indented(value, 4)},`);
  return [
    'import os',
    '',
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url="${baseUrl}", api_key=os.environ["GATEWAY_KEY"])`,
    '',
    'stream = client.chat.completions.create(',
    ...parameters,
    '    stream=True,',
    ')',
    'for chunk in stream:',
    '    if chunk.choices:',
    '        print(chunk.choices[0].delta.content or "", end="", flush=True)',
  ].join('\n');
}

function typescript(body: ChatBody, baseUrl: string): string {
  const parameters = Object.entries(body).map(([name, value]) => `  ${name}: ${indented(value, 2)},`);
  return [
    "import OpenAI from 'openai';",
    '',
    `const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: process.env.GATEWAY_KEY });`,
    '',
    'const stream = await client.chat.completions.create({',
    ...parameters,
    '  stream: true,',
    '});',
    'for await (const chunk of stream) {',
    "  process.stdout.write(chunk.choices[0]?.delta.content ?? '');",
    '}',
  ].join('\n');
}

const indented = (value: unknown, spaces: number): string =>
  JSON.stringify(value, null, spaces).replaceAll('\n', `\n${' '.repeat(spaces)}`);
