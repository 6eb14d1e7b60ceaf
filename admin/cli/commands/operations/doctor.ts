/** `gateway doctor`: checks everything that the gateway depends on, and gives advice for each problem. */
import { command } from '../../command.ts';
import type { Finding } from './doctor/check.ts';
import { checkConfiguration } from './doctor/check-configuration.ts';
import { checkPostgres } from './doctor/check-postgres.ts';
import { checkRedis } from './doctor/check-redis.ts';

const marks: Record<Finding['status'], string> = { ok: '✓', warn: '!', fail: '✗' };

export const doctor = command({
  description: 'Check configuration, Postgres, Redis and the catalogue',
  args: {},
  run: async () => {
    const found = await Promise.all([checkConfiguration(), checkPostgres(), checkRedis()]);
    const checks = found.flat();
    const failed = checks.some(({ status }) => status === 'fail');
    const text = checks.map(renderFinding).join('\n');
    return { text, object: { ok: !failed, checks }, failed };
  },
});

function renderFinding({ check, status, detail, advice }: Finding): string {
  const line = `${marks[status]} ${check}: ${detail}`;
  return advice === undefined || status === 'ok' ? line : `${line}\n    ${advice}`;
}
