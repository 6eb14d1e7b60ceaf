/**
 * Structured logs on standard output, one JSON object per line. Never logged: keys, tokens, passwords, prompts,
 * responses.
 */
import pino from 'pino';

export type Log = pino.Logger;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

export function createLog(options: { program: string; level: LogLevel }): Log {
  return pino({
    level: options.level,
    base: { program: options.program },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: pino.stdSerializers.errWithCause },
    redact: ['req.headers.authorization', 'headers.authorization'],
  });
}
