/** A root certificate, and a certificate of a server signed by it, made with openssl for one test. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const opensslMissing = Bun.which('openssl') === null;
if (opensslMissing) console.info('skipped what needs openssl, which is missing');

export interface OwnRoot {
  readonly directory: string;
  /** The path of the root certificate. */
  readonly caFile: string;
  readonly tls: { readonly cert: string; readonly key: string };
}

/** `names` are alternative names as openssl writes them; with negative `days` the certificate has expired. */
export function makeOwnRoot({ names = 'IP:127.0.0.1', days = 2 } = {}): OwnRoot {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-root-'));
  const openssl = (command: string) => {
    const { exitCode, stderr } = Bun.spawnSync(['openssl', ...command.split(' ')], { cwd: directory });
    if (exitCode !== 0) throw new Error(`openssl failed: ${stderr.toString()}`);
  };
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  writeFileSync(join(directory, 'names'), `subjectAltName=${names}`);
  openssl(`req -x509 ${newKey} -keyout root.key -out root.pem -subj /CN=Test-Root -days 2`);
  openssl(`req ${newKey} -keyout server.key -out server.csr -subj /CN=test-server`);
  openssl(
    `x509 -req -in server.csr -CA root.pem -CAkey root.key -CAcreateserial -out server.pem -days ${days} -extfile names`,
  );
  const read = (name: string) => readFileSync(join(directory, name), 'utf8');
  return {
    directory,
    caFile: join(directory, 'root.pem'),
    tls: { cert: read('server.pem'), key: read('server.key') },
  };
}
