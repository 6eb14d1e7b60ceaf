/**
 * Sends a test mail immediately, without the queue, and reports the outcome: a customer who tests whether alerts arrive
 * wants the response now.
 */
import type { Language } from '../../shared/languages.ts';
import type { Log } from '../../shared/log.ts';
import type { MailConfig } from '../config/mail.ts';
import { renderMail } from '../mail/rendering/render-mail.ts';
import type { Mailer } from '../mail/transport/mailer.ts';

export interface TestResult {
  readonly sent: boolean;
  /** The mail server's response, the path of the file or the network error, without secrets. For operators only. */
  readonly response: string;
}

interface TestServices {
  readonly mailer: Mailer;
  readonly log: Log;
  readonly config: { readonly publicUrl: string; readonly mail: MailConfig };
}

const timeoutMs = 20_000;
const responseMaxLength = 500;

export async function sendTestMail(
  { mailer, log, config }: TestServices,
  { to, language, at }: { to: string; language: Language; at: Date },
): Promise<TestResult> {
  const content = { kind: 'test', data: { requestedAt: at.toISOString() } } as const;
  const mail = {
    key: crypto.randomUUID(),
    createdAt: at,
    to,
    ...renderMail(content, { to, language, config }),
  };
  try {
    return { sent: true, response: await mailer.send(mail, AbortSignal.timeout(timeoutMs)) };
  } catch (error) {
    log.warn({ err: error }, 'a test mail was not sent');
    const reason = error instanceof Error ? error.message : String(error);
    return { sent: false, response: reason.slice(0, responseMaxLength) };
  }
}
