/** The playground's requests, as programs would send them. */
import { describe, expect, test } from 'bun:test';
import { codeOf } from '../../../dashboard/playground/code/code.ts';
import { type ChatBody, chatBodyOf, initialSettings } from '../../../dashboard/playground/conversation/chat-request.ts';
import { newResponse, type Turn } from '../../../dashboard/playground/conversation/turns.ts';

const turnOf = (id: number, message: string, texts: readonly string[]): Turn => ({
  id,
  message,
  responses: texts.map((text) => ({ ...newResponse('test/chat'), status: 'done', text })),
});

describe('a request', () => {
  const asked = { model: 'test/chat', settings: initialSettings, message: 'And?', column: 1 };

  test('has the answers of its own column, and no turn without an answer', () => {
    const turns = [turnOf(1, 'One', ['a', 'b']), turnOf(2, 'Two', ['', '']), turnOf(3, 'Three', ['c'])];
    expect(chatBodyOf({ ...asked, turns }).messages.map(({ content }) => content)).toEqual([
      'One',
      'b',
      'Three',
      'c',
      'And?',
    ]);
  });

  test('has only the parameters that were set', () => {
    expect(Object.keys(chatBodyOf({ ...asked, turns: [] }))).toEqual(['model', 'messages']);
    const settings = {
      ...initialSettings,
      systemPrompt: 'Be short.',
      temperature: 0,
      topP: '0.5',
      maxTokens: '-',
      reasoningEffort: 'low',
      stop: ['END'],
    } as const;
    expect(chatBodyOf({ ...asked, settings, turns: [] })).toEqual({
      model: 'test/chat',
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'And?' },
      ],
      temperature: 0,
      top_p: 0.5,
      reasoning_effort: 'low',
      stop: ['END'],
    });
  });
});

describe('code for a request', () => {
  const nasty = `it's "quoted" \\ $HOME \`id\` $(id) %s\n\u2028<b>ёж 🦔 !`;
  const body: ChatBody = {
    model: 'test/chat',
    messages: [{ role: 'user', content: nasty }],
    temperature: 0.5,
    stop: ["'"],
  };
  const url = 'https://gateway.example';

  test('sends exactly the request from a shell', async () => {
    // The last argument of curl is the body.
    const script = `curl() { for last; do :; done; printf '%s\\n' "$last"; echo "$2"; echo "$4"; }\n${codeOf('curl', body, url)}`;
    const shell = Bun.spawn(['sh', '-c', script], { env: { GATEWAY_KEY: 'ms-x' }, stdout: 'pipe' });
    const lines = (await new Response(shell.stdout).text()).trimEnd().split('\n');
    expect(lines.splice(-2)).toEqual([`${url}/v1/chat/completions`, 'Authorization: Bearer ms-x']);
    expect(JSON.parse(lines.join('\n'))).toEqual({ ...body, stream: true });
  });

  test('sends exactly the request from TypeScript', async () => {
    const code = codeOf('typescript', body, url).replace(/^import .*/, '');
    const script = new Bun.Transpiler({ loader: 'ts' }).transformSync(`export async function run(OpenAI) {${code}}`);
    const file = new File([script], 'code.mjs', { type: 'text/javascript' });
    const { run } = await import(URL.createObjectURL(file));
    const sent: unknown[] = [];
    const create = async (parameters: unknown) => {
      sent.push(parameters);
      return [];
    };
    class OpenAI {
      readonly chat = { completions: { create } };
      constructor(options: unknown) {
        sent.push(options);
      }
    }
    await run(OpenAI);
    expect(sent).toMatchObject([{ baseURL: `${url}/v1` }, { ...body, stream: true }]);
  });

  test('has its texts as JSON in Python, where strings, numbers and lists are the same', () => {
    const code = codeOf('python', body, url);
    expect(code).toContain(`client = OpenAI(base_url="${url}/v1", api_key=os.environ["GATEWAY_KEY"])`);
    expect(code).toContain(`"content": ${JSON.stringify(nasty)}`);
    expect(code).toContain('    temperature=0.5,\n');
    expect(code).toContain('    stream=True,\n');
  });
});
