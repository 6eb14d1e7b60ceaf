/** How the load generator handles connections that the server closes. */
import { afterEach, expect, test } from 'bun:test';
import type { Socket } from 'bun';
import type { LoadJob } from '../../bench/load/job.ts';
import { runJob } from '../../bench/load/run-job.ts';

const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

interface Server {
  open?(socket: Socket): void;
  data(socket: Socket): void;
}

/** Requests in an open loop to a server that handles its connections in this way. */
async function failuresAt(server: Server) {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: server });
  stops.push(() => listener.stop(true));
  const job: LoadJob = {
    port: listener.port,
    keys: ['key'],
    headers: {},
    body: '{}',
    status: 200,
    mode: { kind: 'open', perSecond: 500 },
    warmUpMs: 0,
    measureMs: 1_000,
    watched: {},
  };
  const { failures, requests } = await runJob(job);
  return { failures, responded: requests > 0 };
}

const response = (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');

test('a connection closed while idle fails no request', async () => {
  let opened = 0;
  const closesAHundred = (socket: Socket) => {
    opened += 1;
    // The last of the initial connections, which would be used first.
    if (opened > 156 && opened <= 256) socket.end();
  };
  const { failures, responded } = await failuresAt({ open: closesAHundred, data: response });
  expect(failures).toEqual({});
  expect(responded).toBe(true);
  expect(opened).toBeGreaterThan(256);
});

test('a connection closed during a request is classified by how much of the response had arrived', async () => {
  expect((await failuresAt({ data: (socket) => void socket.end() })).failures).toEqual({
    'the connection was closed before the answer': expect.any(Number),
  });
  const breaksOff = (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{}');
  expect((await failuresAt({ data: breaksOff })).failures).toEqual({
    'the connection was closed within the answer': expect.any(Number),
  });
});
