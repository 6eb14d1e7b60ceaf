/** Without a mail server, mails become files that mail programs can open and that only their owner can read. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileMailer } from '../../../../admin/mail/transport/file-mailer.ts';
import { readMail } from '../../../harness/mail-server.ts';

const directory = await mkdtemp(join(tmpdir(), 'gateway-test-mail-'));
afterAll(() => rm(directory, { recursive: true }));

const mailer = new FileMailer(directory, { name: 'Шлюз', address: 'gateway@example.com' });
const mail = {
  key: '8b0cf5f0-5b3a-4a55-9d3d-0a1b2c3d4e5f',
  createdAt: new Date('2026-11-21T15:04:05.678Z'),
  to: 'ada@example.com',
  subject: 'Баланс заканчивается',
  text: 'Осталось немного.\n',
  html: '<p>Осталось немного.</p>',
};

test('a mail is one complete .eml file, which a repeated attempt replaces', async () => {
  const path = await mailer.send(mail);
  expect(await mailer.send(mail)).toBe(path);
  expect(path).toStartWith('/');
  expect(await readdir(join(directory, 'mail'))).toEqual([`2026-11-21T15-04-05-678Z-${mail.key}.eml`]);
  const written = readMail(await readFile(path, 'latin1'));
  expect(written.header('to')).toBe('ada@example.com');
  expect(written.header('message-id')).toBe(`<${mail.key}@example.com>`);
  expect(written.header('date')).toBe('Sat, 21 Nov 2026 15:04:05 +0000');
  expect(written.part('text/plain').trim()).toBe('Осталось немного.');
  expect(written.part('text/html').trim()).toBe('<p>Осталось немного.</p>');
});

test('a mail file contains secret links, so only the program itself may read it', async () => {
  const path = await mailer.send(mail);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(directory, 'mail'))).mode & 0o777).toBe(0o700);
});
