/** A real SMTP server on loopback that stores mails and misbehaves on demand. */
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly raw: string;
  header(name: string): string | undefined;
  /** The decoded body of a part: `text/plain` or `text/html`. */
  part(type: string): string;
}

/** Called when the server has the whole mail and has not accepted it yet. Throw to refuse it. */
type BeforeAcceptance = (mail: ReceivedMail) => Promise<void> | void;

export interface MailServer {
  readonly port: number;
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  stop(): Promise<void>;
}

interface Behaviour {
  /** The port of an earlier server that was stopped. */
  readonly port?: number;
  readonly beforeAcceptance?: BeforeAcceptance;
  readonly options?: SMTPServerOptions;
}

export async function startMailServer({ port = 0, beforeAcceptance, options }: Behaviour = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    closeTimeout: 100,
    ...options,
    onData: async (stream, session, done) => {
      try {
        const chunks: Uint8Array[] = [];
        for await (const chunk of stream) chunks.push(chunk as Uint8Array);
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        const mail = readMail(Buffer.concat(chunks).toString('latin1'), recipients);
        received.push(mail);
        await beforeAcceptance?.(mail);
        done(null, 'kept for the test');
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: bound } = server.server.address() as AddressInfo;
  return {
    port: bound,
    url: `smtp://127.0.0.1:${bound}`,
    received,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Also for the files that are written without a server. */
export function readMail(raw: string, to: readonly string[] = []): ReceivedMail {
  const { headers, body } = split(raw);
  const header = (name: string) => headers.get(name.toLowerCase());
  const boundary = /boundary="([^"]+)"/.exec(header('content-type') ?? '')?.[1];
  const parts = boundary === undefined ? [] : body.split(`--${boundary}`).map((part) => split(part.trimStart()));
  return {
    to,
    raw,
    header,
    part: (type) => {
      const part = parts.find((candidate) => candidate.headers.get('content-type')?.startsWith(type));
      if (part === undefined) throw new Error(`the mail has no part ${type}`);
      return decode(part.body, part.headers.get('content-transfer-encoding'));
    },
  };
}

function split(raw: string) {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { headers, body: raw.slice(end + 4) };
}

function decode(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString('utf8');
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
