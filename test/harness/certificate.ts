/** A certificate for `localhost`, valid for two days, made by openssl. */
import { join } from 'node:path';

export interface Certificate {
  readonly key: string;
  /** Clients that trust it trust the server. */
  readonly chain: string;
  /** Both in one file. */
  readonly pem: string;
}

/** Paths of files in this folder. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const [key, chain, pem] = [join(folder, 'key.pem'), join(folder, 'chain.pem'), join(folder, 'localhost.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', key, '-out', chain];
  const command = ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject];
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`openssl: ${stderr.toString()}`);
  await Bun.write(pem, (await Bun.file(chain).text()) + (await Bun.file(key).text()));
  return { key, chain, pem };
}
