/** nginx as a reverse proxy: the cost of a proxy in C that knows nothing about models or money. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../local/servers/ports.ts';
import type { Contender } from './contender.ts';
import { startServerProcess } from './server-process.ts';

const program = Bun.which('nginx', { PATH: '/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin' });

export const whyNoNginx = program === null ? 'nginx is not installed (`apt-get install nginx`)' : undefined;

export const nginx: Contender = {
  name: 'nginx',
  description: `${version()}, one worker, keep-alive connections to the upstream, no response buffering`,
  start: async (upstreamPort) => {
    const port = await freePort();
    const directory = await mkdtemp(join(tmpdir(), 'gateway-bench-nginx-'));
    const file = join(directory, 'nginx.conf');
    await writeFile(file, configuration({ directory, port, upstreamPort }));
    const running = await startServerProcess({ name: 'nginx', port, command: [program ?? 'nginx', '-c', file] });
    return {
      ...running,
      stop: async () => {
        await running.stop();
        await rm(directory, { recursive: true, force: true });
      },
    };
  },
};

function configuration(options: { directory: string; port: number; upstreamPort: number }): string {
  const { directory, port, upstreamPort } = options;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
worker_rlimit_nofile 20000;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log warn;
events { worker_connections 16384; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
  client_max_body_size 20m;
  client_body_buffer_size 256k;
  keepalive_requests 1000000000;
  keepalive_timeout 600s;
  upstream models {
    server 127.0.0.1:${upstreamPort};
    keepalive 1024;
    keepalive_requests 1000000000;
    keepalive_timeout 600s;
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://models;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 600s;
    }
  }
}
`;
}

function version(): string {
  if (program === null) return 'nginx';
  return Bun.spawnSync([program, '-v']).stderr.toString().trim().replace('nginx version: nginx/', 'nginx ');
}
