/**
 * A headless Chromium that knows no host but this machine, spoken to over its DevTools protocol
 * (https://chromedevtools.github.io/devtools-protocol/). Where there is none, `chromiumPath` is undefined, and the
 * tests that need it skip and say so.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DevtoolsConnection } from './devtools-connection.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const startTimeoutMs = 30_000;
const conditionTimeoutMs = 60_000;
const pollMs = 25;

export const chromiumPath = process.env.CHROMIUM_PATH ?? names.map((name) => Bun.which(name)).find(Boolean);
if (!chromiumPath) console.info('skipped what needs a browser: no chromium was found (CHROMIUM_PATH may name one)');

export interface Page {
  /** Every address that the page has asked for, in order. */
  readonly requests: readonly string[];
  /** What the browser complains about: failed requests, violations of the page's policy, exceptions. */
  readonly complaints: readonly string[];
  open(url: string): Promise<void>;
  /** The value of an expression. */
  read<Value>(expression: string): Promise<Value>;
  /** Waits until the expression is truthy. */
  until(expression: string): Promise<void>;
  /** Waits for the element, and clicks it. */
  click(selector: string): Promise<void>;
  /** Waits for the field, and types over what is in it. */
  type(selector: string, text: string): Promise<void>;
  screenshot(path: string): Promise<void>;
}

export interface Browser extends AsyncDisposable {
  newPage(): Promise<Page>;
}

export async function startBrowser(path: string): Promise<Browser> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-chromium-'));
  const child = Bun.spawn([path, ...flagsOf(directory), 'about:blank'], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
    env: { PATH: process.env.PATH, HOME: directory },
  });
  const close = async () => {
    child.kill('SIGKILL');
    await child.exited;
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    const connection = await DevtoolsConnection.open(await endpointOf(directory));
    return { newPage: () => newPage(connection), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

function flagsOf(directory: string): string[] {
  return [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-dev-shm-usage'],
    ...['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-extensions'],
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    '--window-size=1280,1400',
    '--remote-debugging-port=0',
    `--user-data-dir=${directory}`,
  ];
}

/** Chromium writes where it listens as soon as it does. */
async function endpointOf(directory: string): Promise<string> {
  const path = join(directory, 'DevToolsActivePort');
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    const [port, endpoint] = existsSync(path) ? (await Bun.file(path).text()).split('\n') : [];
    if (port && endpoint) return `ws://127.0.0.1:${port}${endpoint}`;
    await Bun.sleep(pollMs);
  }
  throw new Error('Chromium did not start in time');
}

async function newPage(connection: DevtoolsConnection): Promise<Page> {
  const { targetId } = await connection.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId: session } = await connection.send('Target.attachToTarget', { targetId, flatten: true });
  const sessionId = String(session);
  const send = (method: string, parameters: object = {}) => connection.send(method, parameters, sessionId);
  const requests: string[] = [];
  const complaints: string[] = [];
  connection.on(sessionId, 'Network.requestWillBeSent', ({ request }) => requests.push(Object(request).url));
  connection.on(sessionId, 'Log.entryAdded', ({ entry }) =>
    complaints.push(`${Object(entry).text} ${Object(entry).url ?? ''}`),
  );
  connection.on(sessionId, 'Runtime.exceptionThrown', ({ exceptionDetails }) =>
    complaints.push(JSON.stringify(exceptionDetails)),
  );
  for (const domain of ['Page', 'Network', 'Log', 'Runtime']) await send(`${domain}.enable`);

  const read = async <Value>(expression: string): Promise<Value> => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, returnByValue: true });
    if (exceptionDetails !== undefined) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return Object(result).value;
  };
  const until = async (expression: string) => {
    const deadline = Date.now() + conditionTimeoutMs;
    while (!(await read<boolean>(`Boolean(${expression})`))) {
      if (Date.now() > deadline) throw new Error(`still not: ${expression}; ${complaints.join('; ')}`);
      await Bun.sleep(pollMs);
    }
  };
  const element = (selector: string) => `document.querySelector(${JSON.stringify(selector)})`;
  return {
    requests,
    complaints,
    open: async (url) => void (await send('Page.navigate', { url })),
    read,
    until,
    click: async (selector) => {
      await until(element(selector));
      await read(`${element(selector)}.click()`);
    },
    type: async (selector, text) => {
      await until(element(selector));
      await read(`${element(selector)}.focus(), ${element(selector)}.select()`);
      await send('Input.insertText', { text });
    },
    screenshot: async (path) => {
      const { data } = await send('Page.captureScreenshot', { format: 'png' });
      await Bun.write(path, Buffer.from(String(data), 'base64'));
    },
  };
}
