/**
 * Writes mails to `$DATA_DIR/mail/*.eml`, which any mail program opens. The name is derived from the mail's key, so a
 * repeated attempt replaces the file.
 */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createTransport } from 'nodemailer';
import type { MailAddress } from '../../config/mail.ts';
import type { Mailer, OutgoingMail } from './mailer.ts';
import { messageOf } from './message.ts';

export class FileMailer implements Mailer {
  readonly #directory: string;
  readonly #from: MailAddress;
  readonly #transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });

  constructor(dataDirectory: string, from: MailAddress) {
    this.#directory = resolve(dataDirectory, 'mail');
    this.#from = from;
  }

  async send(mail: OutgoingMail): Promise<string> {
    const { message } = await this.#transport.sendMail(messageOf(mail, this.#from));
    // Mails contain links that grant access: no other user of the machine may read them.
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const path = join(this.#directory, `${mail.createdAt.toISOString().replace(/[:.]/g, '-')}-${mail.key}.eml`);
    const unfinished = `${path}.${crypto.randomUUID()}.part`;
    await writeFile(unfinished, message as Buffer, { mode: 0o600 });
    await rename(unfinished, path);
    return path;
  }
}
