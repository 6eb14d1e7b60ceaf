/** The texts in the load balancers' configurations, compared with the programs and the documentation. */
import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'bun';
import { type ErrorCode, errorRegistry } from '../../../shared/errors.ts';
import { makeCertificate } from '../../harness/certificate.ts';
import { haproxyFile } from '../../harness/load-balancer.ts';

const root = join(import.meta.dir, '../../..');
const haproxyText = await Bun.file(haproxyFile).text();
const nginxText = await Bun.file(join(root, 'deploy/nginx/nginx.conf')).text();
const nginx = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` });
if (nginx === null) console.info('skipped the check of nginx.conf: no nginx found. Run `apt-get install nginx`.');

test.each([
  ['HAProxy', [...haproxyText.matchAll(/status (\d+) content-type application\/json string '(\{.*?\})'/g)]],
  ['nginx', [...nginxText.matchAll(/return (\d+) '(\{.*?\})'/g)]],
])('every error that %s returns itself is in the registry with its status and type', (_, own) => {
  expect(own.length).toBeGreaterThan(1);
  for (const [, status, json = ''] of own) {
    const { message, type, code, param } = JSON.parse(json).error;
    expect(errorRegistry[code as ErrorCode]).toMatchObject({ status: Number(status), type });
    expect([typeof message, param]).toEqual(['string', null]);
  }
});

test('the documentation names every variable of haproxy.cfg', async () => {
  const documented = await Bun.file(join(root, 'docs/deploy.md')).text();
  const variables = new Set([...haproxyText.matchAll(/\b(LB_[A-Z_]+)\b/g)].map(([, name = '']) => name));
  expect(variables.size).toBeGreaterThan(8);
  expect([...variables].filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
});

test.skipIf(nginx === null)('nginx accepts its configuration', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-nginx-'));
  try {
    const { key, chain } = await makeCertificate(folder);
    const file = join(folder, 'nginx.conf');
    // A check must not need root: every path that it opens is in its own folder.
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const own = nginxText
      .replace('/etc/gateway/tls/fullchain.pem', chain)
      .replace('/etc/gateway/tls/privkey.pem', key)
      .replace('http {', `pid ${folder}/pid;\nhttp {\n${paths.join('\n')}`)
      .replace('/var/log/nginx', folder)
      .replace('listen 80;', 'listen 127.0.0.1:31999;')
      .replace('listen 443', 'listen 127.0.0.1:31998');
    await Bun.write(file, own);
    const { exitCode, stderr } = await $`${nginx} -t -p ${folder} -c ${file}`.nothrow().quiet();
    expect([exitCode, stderr.toString()]).toEqual([0, expect.stringContaining('test is successful')]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
