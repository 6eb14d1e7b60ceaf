/** An archive is created as it is read, and is either whole or recognisably truncated. */
import { afterAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { type ExportFile, jsonListFile, textFile } from '../../../../../admin/api/account/export/export-file.ts';
import { zipFiles } from '../../../../../admin/api/account/export/zip-files.ts';
import { guardTimeoutMs, waitFor } from '../../../../harness/account-view.ts';
import { readZip } from '../../../../harness/read-files.ts';

const at = new Date('2030-01-01T12:00:00Z');
const never = new AbortController().signal;
const chunksMax = 4_000;

/** Random, so that compressing it makes it no smaller. */
const noise = () => crypto.getRandomValues(new Uint8Array(48 * 1024)).toBase64();

/** A file that reports how far it was read, and whether it was closed. */
function countedFile(chunks = chunksMax): ExportFile & { made: number; closed: number } {
  return {
    ...textFile('noise.txt', '', ''),
    made: 0,
    closed: 0,
    async *chunks() {
      try {
        for (let index = 0; index < chunks; index += 1) {
          this.made += 1;
          await new Promise((resolve) => setImmediate(resolve));
          yield noise();
        }
      } finally {
        this.closed += 1;
      }
    },
  };
}

function zip(files: readonly ExportFile[], signal = never) {
  const endings: unknown[] = [];
  const stream = zipFiles(files, { at, signal, onEnd: (failure) => void endings.push(failure) });
  return { stream, endings };
}

const file = countedFile();
const outcome = zip([textFile('first.txt', '', 'first'), file]);
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(outcome.stream) });
afterAll(() => server.stop(true));

test('an archive has every file, with names in any alphabet, including empty files', async () => {
  const pages = async function* () {
    yield [{ name: 'один' }, { name: '"two"' }];
    yield [];
    yield [{ name: 3 }];
  };
  const none = async function* () {
    yield [];
  };
  const files = [
    textFile('README.txt', '', 'Привет'),
    textFile('empty.txt', '', ''),
    jsonListFile('list.json', '', pages),
    jsonListFile('none.json', '', none),
  ];
  const { stream, endings } = zip(files);
  const unzipped = readZip(await new Response(stream).bytes());
  expect([...unzipped.keys()]).toEqual(['README.txt', 'empty.txt', 'list.json', 'none.json']);
  expect(unzipped.get('README.txt')).toBe('Привет');
  expect(unzipped.get('empty.txt')).toBe('');
  expect(JSON.parse(unzipped.get('list.json') ?? '')).toEqual([{ name: 'один' }, { name: '"two"' }, { name: 3 }]);
  expect(JSON.parse(unzipped.get('none.json') ?? '')).toEqual([]);
  expect(endings).toEqual([undefined]);
});

test('an archive is not written ahead of a slow client, and ends when the client leaves', async () => {
  const socket = connect({ host: '127.0.0.1', port: server.port ?? 0 });
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  let before = -1;
  await waitFor('the writer to wait for the reader', guardTimeoutMs, async () => {
    const same = file.made > 0 && file.made === before;
    before = file.made;
    await Bun.sleep(250);
    return same && file.made === before;
  });
  // What the buffers hold: some megabytes of the 250.
  expect(file.made).toBeLessThan(chunksMax / 4);
  expect({ closed: file.closed, endings: outcome.endings }).toEqual({ closed: 0, endings: [] });
  socket.destroy();
  await waitFor('the work to end', guardTimeoutMs, async () => file.closed === 1 && outcome.endings.length === 1);
  expect(outcome.endings[0]).toBeDefined();
});

test('archives that are not read do not delay another one', async () => {
  const files = Array.from({ length: 12 }, () => countedFile());
  const leaving = new AbortController();
  const slow = files.map((endless) => zip([endless], leaving.signal));
  await waitFor('all of them to be compressed', guardTimeoutMs, async () => files.every(({ made }) => made > 5));
  const unzipped = readZip(await new Response(zip([textFile('quick.txt', '', 'quick')]).stream).bytes());
  expect(unzipped.get('quick.txt')).toBe('quick');
  leaving.abort();
  await waitFor('the work to end', guardTimeoutMs, async () => slow.every(({ endings }) => endings.length === 1));
});

test('an archive whose time is over is truncated, and reads nothing more', async () => {
  const endless = countedFile(1_000_000);
  const deadline = new AbortController();
  const { stream, endings } = zip([endless], deadline.signal);
  const reader = stream.getReader();
  const chunks = [(await reader.read()).value ?? new Uint8Array()];
  deadline.abort(new Error('too late'));
  const rest = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      chunks.push(value);
    }
  })();
  await expect(rest).rejects.toThrow('too late');
  await waitFor('the work to end', guardTimeoutMs, async () => endless.closed === 1 && endings.length === 1);
  expect(endings.map(String)).toEqual(['Error: too late']);
  expect(() => readZip(Buffer.concat(chunks))).toThrow('not whole');
});

test('a file that cannot be read to its end truncates the archive with the reason', async () => {
  const broken: ExportFile = {
    ...textFile('broken.txt', '', ''),
    chunks: async function* () {
      yield noise();
      throw new Error('Postgres is away');
    },
  };
  const { stream, endings } = zip([textFile('first.txt', '', 'first'), broken]);
  await expect(new Response(stream).bytes()).rejects.toThrow('Postgres is away');
  expect(endings.map(String)).toEqual(['Error: Postgres is away']);
});
